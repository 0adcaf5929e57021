import type { ClientContext } from "../client-context.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { DEFAULT_POINTER } from "./default-pointer.ts";
import { pointerPicture } from "./pointer-picture.ts";

/** Types of a slow-path pointer message, MS-RDPBCGR 2.2.9.1.1.4. */
export const POINTER = { system: 1, position: 3, colour: 6, cached: 7, new: 8, large: 9 } as const;

const HIDDEN = 0;
const COLOUR_BITS = 24;

/** Slow-path pointer message: U16 type, pad 2, and what it has. */
export function readPointerMessage(from: LittleEndianReader, c: ClientContext): void {
  const type = from.u16();
  from.skip(2);
  if (type !== POINTER.system) readPointer(type, from, c);
  else if (from.u32() === HIDDEN) hidePointer(c);
  else defaultPointer(c);
}

/** A pointer without a picture. */
export function hidePointer(c: ClientContext): void {
  c.emit({ type: "cursor", cursor: null });
}

export function defaultPointer(c: ClientContext): void {
  c.emit({ type: "cursor", cursor: DEFAULT_POINTER });
}

/**
 * The picture of a pointer, MS-RDPBCGR 2.2.9.1.1.4.4 to 2.2.9.1.1.4.6 and 2.2.9.1.2.1.11: [U16 bits a pixel,] U16
 * place, hotspot x, y, width, height, U16 or U32 lengths of mask and picture, picture, mask. A cached one is its place.
 */
export function readPointer(type: number, from: LittleEndianReader, c: ClientContext): void {
  if (type === POINTER.cached) {
    c.emit({ type: "cursor", cursor: c.pointers.get(from.u16()) });
    return;
  }
  if (type !== POINTER.colour && type !== POINTER.new && type !== POINTER.large) return;
  const bits = type === POINTER.colour ? COLOUR_BITS : from.u16();
  const index = from.u16();
  const header = {
    bits,
    hotspotX: from.u16(),
    hotspotY: from.u16(),
    width: from.u16(),
    height: from.u16(),
  };
  const andBytes = type === POINTER.large ? from.u32() : from.u16();
  const xorBytes = type === POINTER.large ? from.u32() : from.u16();
  const xor = from.take(xorBytes);
  const cursor = pointerPicture(header, xor, from.take(andBytes));
  if (cursor !== null) c.pointers.put(index, cursor);
  c.emit({ type: "cursor", cursor });
}
