import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { RfbError } from "../error.ts";
import {
  CLIPBOARD_ACTION,
  CLIPBOARD_FORMAT,
  CLIPBOARD_FORMATS_MASK,
  packClipboardText,
  unpackClipboardText,
} from "../extended-clipboard.ts";
import { decodeLatin1, encodeLatin1 } from "../latin1.ts";
import { LIMIT, SERVER_MESSAGE } from "../numbers.ts";
import type { ServerContext } from "./server-context.ts";

/** A cut text longer than LIMIT.cutTextBytes is skipped, one longer than this ends the connection. */
const MAX_SKIPPED_BYTES = 16 * 1024 * 1024;

const ACTIONS =
  CLIPBOARD_ACTION.request | CLIPBOARD_ACTION.peek | CLIPBOARD_ACTION.notify | CLIPBOARD_ACTION.provide;

const NOTHING = new Uint8Array(0);
const COMPRESS_LEVEL = 6;

/** The clipboard of one viewer: plain Latin-1 cut text, or ExtendedClipboard (rfbproto) where it is offered. */
export class ViewerClipboard {
  readonly #d: ServerContext;
  #isExtended = false;
  /** What the viewer can do; until it says so, what rfbproto has as the default. */
  #viewerActions = ACTIONS;
  #text: string | null = null;
  /** The text as it is provided: made once, however often it is asked for. */
  #packed: Uint8Array | null = null;

  constructor(dialogue: ServerContext) {
    this.#d = dialogue;
  }

  /** The viewer speaks ExtendedClipboard: says that we take text, at most LIMIT.cutTextBytes unasked. */
  extend(): void {
    if (this.#d.ports.inflate === undefined || this.#isExtended) return;
    this.#isExtended = true;
    const limits = new ByteWriter(4).u32(LIMIT.cutTextBytes).bytes();
    this.#sendExtended(CLIPBOARD_ACTION.caps | ACTIONS | CLIPBOARD_FORMAT.text, limits);
  }

  /** Offers a text: announced to a viewer that asks for texts itself, sent at once to any other. */
  offer(text: string): void {
    this.#text = text;
    this.#packed = null;
    if (!this.#isExtended) this.#d.send(cutText(encodeLatin1(text)));
    else if (this.#viewerActions & CLIPBOARD_ACTION.notify) this.#notify();
    else if (this.#viewerActions & CLIPBOARD_ACTION.provide) this.#provide();
  }

  /**
   * ClientCutText, RFC 6143 section 7.5.6: pad 3, S32 length, Latin-1 text. A negative length is ExtendedClipboard:
   * U32 flags, data. A text beyond the limit is skipped and not kept.
   */
  *read(): Parser<void> {
    const { from } = this.#d;
    while (!from.has(7)) yield 7;
    from.skip(3);
    const length = from.i32();
    const size = Math.abs(length);
    if (size > MAX_SKIPPED_BYTES) {
      const most = `expected at most ${LIMIT.cutTextBytes}`;
      throw new RfbError("too_large", "message", `got a cut text of ${size} bytes, ${most}`);
    }
    if (size > LIMIT.cutTextBytes) {
      yield* this.#skip(size);
      return;
    }
    while (!from.has(size)) yield size;
    if (length >= 0)
      this.#d.emit({ type: "clipboard", text: decodeLatin1(from.take(size)).replace(/\r\n/g, "\n") });
    else this.#readExtended(size);
  }

  *#skip(size: number): Parser<void> {
    const { from } = this.#d;
    for (let left = size; left > 0; ) {
      while (from.size === 0) yield 1;
      const count = Math.min(left, from.size);
      from.skip(count);
      left -= count;
    }
  }

  #readExtended(size: number): void {
    if (size < 4) {
      throw new RfbError(
        "bad_data",
        "message",
        `got an extended cut text of ${size} bytes, expected 4 or more`,
      );
    }
    const flags = this.#d.from.u32();
    const data = this.#d.from.take(size - 4);
    // Without caps of ours the viewer cannot know that we understand it.
    if (!this.#isExtended) return;
    const isText = (flags & CLIPBOARD_FORMAT.text) !== 0;
    if (flags & CLIPBOARD_ACTION.caps) {
      this.#viewerActions = flags & ~CLIPBOARD_FORMATS_MASK;
    } else if (flags & CLIPBOARD_ACTION.notify) {
      if (isText) this.#sendExtended(CLIPBOARD_ACTION.request | CLIPBOARD_FORMAT.text, NOTHING);
    } else if (flags & CLIPBOARD_ACTION.request) {
      if (isText && this.#text !== null) this.#provide();
    } else if (flags & CLIPBOARD_ACTION.peek) {
      this.#notify();
    } else if (flags & CLIPBOARD_ACTION.provide && isText) {
      this.#readProvided(data);
    }
  }

  /** A text that does not inflate, or to more than the limit, is dropped; the viewer stays. */
  #readProvided(data: Uint8Array): void {
    const stream = this.#d.ports.inflate?.();
    if (stream === undefined) return;
    const output = new Uint8Array(4 + LIMIT.cutTextBytes);
    let text: string | null = null;
    try {
      text = unpackClipboardText(output.subarray(0, stream.inflate(data, output)));
    } catch {
      return;
    } finally {
      stream.close();
    }
    if (text !== null) this.#d.emit({ type: "clipboard", text });
  }

  #notify(): void {
    this.#sendExtended(CLIPBOARD_ACTION.notify | (this.#text === null ? 0 : CLIPBOARD_FORMAT.text), NOTHING);
  }

  #provide(): void {
    this.#packed ??= this.#d.ports.deflate.zlib(packClipboardText(this.#text ?? ""), COMPRESS_LEVEL).slice();
    this.#sendExtended(CLIPBOARD_ACTION.provide | CLIPBOARD_FORMAT.text, this.#packed);
  }

  /** ServerCutText with the length negated: U32 flags, data. */
  #sendExtended(flags: number, data: Uint8Array): void {
    const to = new ByteWriter(12 + data.length).u8(SERVER_MESSAGE.serverCutText).pad(3);
    this.#d.send(
      to
        .i32(-(4 + data.length))
        .u32(flags >>> 0)
        .put(data)
        .bytes(),
    );
  }
}

/** ServerCutText, RFC 6143 section 7.6.4: U8 3, pad 3, U32 length, Latin-1 text. */
function cutText(latin1: Uint8Array): Uint8Array {
  const to = new ByteWriter(8 + latin1.length).u8(SERVER_MESSAGE.serverCutText).pad(3);
  return to.u32(latin1.length).put(latin1).bytes();
}
