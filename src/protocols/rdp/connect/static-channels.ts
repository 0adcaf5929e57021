import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { LIMIT } from "../numbers.ts";
import { sendData } from "./mcs.ts";

/** Flags of a channel PDU header, MS-RDPBCGR 2.2.6.1.1. */
const CHUNK = { first: 0x1, last: 0x2, showProtocol: 0x10, compressed: 0x20_0000 } as const;

/** Puts the parts of one static channel's messages together, MS-RDPBCGR 2.2.6.1: U32 length of the whole, U32 flags. */
export class StaticChannel {
  readonly #id: number;
  readonly #receive: (message: Uint8Array) => void;
  #whole: Uint8Array | null = null;
  #size = 0;

  /** `receive` gets whole messages, valid while it runs. */
  constructor(id: number, receive: (message: Uint8Array) => void) {
    this.#id = id;
    this.#receive = receive;
  }

  get id(): number {
    return this.#id;
  }

  /** One part. Throws RdpError for parts that do not fit, and for messages beyond LIMIT.channelBytes. */
  push(chunk: Uint8Array): void {
    const from = new LittleEndianReader(chunk, "channel");
    const total = from.u32();
    const flags = from.u32();
    if (flags & CHUNK.compressed) {
      throw new RdpError(
        "bad_data",
        "channel",
        "got compressed channel data, expected none: compression was not offered",
      );
    }
    if (total > LIMIT.channelBytes) {
      throw new RdpError(
        "too_large",
        "channel",
        `got a channel message of ${total} bytes, expected at most ${LIMIT.channelBytes}`,
      );
    }
    const part = from.rest();
    const isFirst = (flags & CHUNK.first) !== 0;
    const isLast = (flags & CHUNK.last) !== 0;
    if (isFirst && isLast) {
      this.#whole = null;
      this.#receive(part);
      return;
    }
    if (isFirst) {
      this.#whole = new Uint8Array(total);
      this.#size = 0;
    }
    const whole = this.#whole;
    if (whole === null)
      throw new RdpError("bad_data", "channel", "got a part of a channel message without its beginning");
    if (this.#size + part.length > whole.length) {
      throw new RdpError(
        "bad_data",
        "channel",
        `got more than the ${whole.length} bytes a channel message was to have`,
      );
    }
    whole.set(part, this.#size);
    this.#size += part.length;
    if (!isLast) return;
    this.#whole = null;
    this.#receive(whole.subarray(0, this.#size));
  }
}

/** Sends a whole message over a static channel, in parts. */
export function sendOnChannel(c: ClientContext, channelId: number, message: Uint8Array): void {
  const most = c.features.channelChunkBytes;
  for (let at = 0; at === 0 || at < message.length; at += most) {
    const part = message.subarray(at, at + most);
    const isLast = at + most >= message.length;
    const flags = (at === 0 ? CHUNK.first : 0) | (isLast ? CHUNK.last : 0) | CHUNK.showProtocol;
    sendData(
      c,
      channelId,
      new LittleEndianWriter(8 + part.length).u32(message.length).u32(flags).put(part).bytes(),
    );
  }
}
