import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { RfbError } from "../error.ts";
import { CLIENT_MESSAGE, LIMIT } from "../numbers.ts";
import type { ClientContext } from "./client-context.ts";

/** The sub-type of QEMU's messages, in both directions, rfbproto "QEMU Audio". */
const AUDIO = 1;

const FROM_CLIENT = { enable: 0, disable: 1, setFormat: 2 } as const;
const FROM_SERVER = { end: 0, begin: 1, data: 2 } as const;

/** Signed, 16 bits, little-endian. */
const S16 = 3;

/** What is asked for: samples of 16 bits with sign, little-endian, left and right in turn, so many of each a second. */
const SOUND_RATE = 44_100;
const SOUND_CHANNELS = 2;

/** QEMU Audio, client's messages: the format, then on; or off. */
export function soundRequest(isOn: boolean): Uint8Array {
  const message = new ByteWriter(14).u8(CLIENT_MESSAGE.qemu).u8(AUDIO);
  if (!isOn) return message.u16(FROM_CLIENT.disable).bytes();
  message.u16(FROM_CLIENT.setFormat).u8(S16).u8(SOUND_CHANNELS).u32(SOUND_RATE);
  return message.u8(CLIENT_MESSAGE.qemu).u8(AUDIO).u16(FROM_CLIENT.enable).bytes();
}

/** QEMU Audio, server's message after its type: U8 sub-type, U16 operation; with data U32 length and the samples. */
export function* readSound(c: ClientContext): Parser<void> {
  while (!c.from.has(3)) yield 3;
  const subType = c.from.u8();
  const operation = c.from.u16();
  if (subType !== AUDIO || operation > FROM_SERVER.data) {
    throw new RfbError(
      "unknown_message",
      "message",
      `got QEMU's message ${subType} with operation ${operation}, expected sound (1) and its end, beginning or data (0 to 2)`,
    );
  }
  if (operation === FROM_SERVER.end) c.emit({ type: "sound", samples: null });
  if (operation !== FROM_SERVER.data) return;
  while (!c.from.has(4)) yield 4;
  const length = c.from.u32();
  if (length > LIMIT.soundBytes) {
    throw new RfbError(
      "too_large",
      "message",
      `got ${length} bytes of sound at once, expected at most ${LIMIT.soundBytes}`,
    );
  }
  while (!c.from.has(length)) yield length;
  c.emit({ type: "sound", samples: c.from.take(length).slice() });
}
