import { ByteWriter } from "../../byte-writer.ts";
import { SERVER_MESSAGE } from "../numbers.ts";

/** Flags of Fence, rfbproto. */
export const FENCE = {
  blockBefore: 1 << 0,
  blockAfter: 1 << 1,
  syncNext: 1 << 2,
  /** What an answer may carry. */
  known: 0b111,
  request: 1 << 31,
} as const;

const OWN_FENCE_BYTES = 4;

/** ServerFence, rfbproto: U8 248, pad 3, U32 flags, U8 length, payload. */
export function serverFence(flags: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const to = new ByteWriter(9 + payload.length).u8(SERVER_MESSAGE.fence).pad(3);
  return to
    .u32(flags >>> 0)
    .u8(payload.length)
    .put(payload)
    .bytes();
}

/** The last of our own fences: viewers in step get the same. */
let last = { number: -1, bytes: new Uint8Array(0) };

/** A fence of our own that follows an update: its payload is its number, U32. Nobody writes to it. */
export function updateFence(number: number): Uint8Array {
  if (last.number === number) return last.bytes;
  const payload = new ByteWriter(OWN_FENCE_BYTES).u32(number).bytes();
  last = { number, bytes: serverFence(FENCE.request | FENCE.blockBefore, payload) };
  return last.bytes;
}

/** The number in the payload of a fence that came back; null where it is none of ours. */
export function fenceNumber(payload: Uint8Array): number | null {
  if (payload.length !== OWN_FENCE_BYTES) return null;
  return new DataView(payload.buffer, payload.byteOffset, OWN_FENCE_BYTES).getUint32(0);
}
