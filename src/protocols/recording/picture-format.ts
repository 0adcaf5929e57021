/**
 * Pictures of a recording, as they stand one after the other in a chunk. All numbers are big-endian.
 *
 *     0  u32  bytes that follow this field
 *     4  u32  milliseconds since the recording began
 *     8  u32  generation of the desktop
 *    12  u8   flags: 1 key (needs no picture before it; only the first of a chunk), 2 partial (what changes all the time is left for later)
 *    13  u8   padding
 *    14  u16  width of the desktop
 *    16  u16  height
 *    18  u32  number of records
 *    22  …    records: u8 operation, then
 *               0 solid    x y width height (u16 each), red green blue
 *               1 palette  x y width height, u8 colours - 1, the colours, rows of 1, 2, 4 or 8 bits a pixel,
 *                          the leftmost pixel in the highest bits, each row from a new byte on
 *               2 rgb      x y width height, red green blue of each pixel
 *               3 again    x y (u16 each), u32 number of a palette or rgb record since the key, counted from 0
 *               4 move     from x, from y, x, y, width, height (u16 each)
 */
export const PICTURE_HEADER_BYTES = 4 + 4 + 4 + 1 + 1 + 2 + 2 + 4;

export const PICTURE_FLAG = { key: 1, partial: 2 } as const;

export const PICTURE_OP = { solid: 0, palette: 1, rgb: 2, again: 3, move: 4 } as const;

/** Records paint within cells of so many pixels a side, a move excepted. */
export const RECORD_CELL = 64;

/** The most pictures' bytes accepted in one chunk: the largest screen, every pixel of its own colour, twice. */
export const MAX_CHUNK_BYTES = 256 * 1024 * 1024;

/** The most pictures accepted in one: many times what a second of recording has. */
export const MAX_CHUNK_PICTURES = 10_000;

/** What a chunk says of one of its pictures. */
export interface PictureHead {
  readonly atMs: number;
  readonly generation: number;
  readonly isKey: boolean;
  readonly isPartial: boolean;
  readonly width: number;
  readonly height: number;
  readonly records: number;
  /** Where its records begin in the chunk, and where the next picture does. */
  readonly offset: number;
  readonly end: number;
}

/** How many bits a pixel of so many colours takes. */
export function bitsOf(colours: number): 1 | 2 | 4 | 8 {
  return colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8;
}

/** Bytes that were recorded do not decode to what they announce. Lower case, no dot, what was got and expected. */
export class PictureError extends Error {
  override readonly name = "PictureError";
}
