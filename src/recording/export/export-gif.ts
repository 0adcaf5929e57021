import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { IndexedPixels } from "./export-palette.ts";

/** GIF89a, https://www.w3.org/Graphics/GIF/spec-gif89a.txt. Sections are those of that text. */

/** Sections 17, 18 and 26 with Netscape's application block: a picture of `size` that starts over for ever. */
export function gifHead({ width, height }: Size): Uint8Array {
  return Uint8Array.from([
    ...ascii("GIF89a"),
    ...uint16(width),
    ...uint16(height),
    0x70 /* no global colour table, 8 bits a primary */,
    0 /* background */,
    0 /* aspect ratio: not said */,
    0x21 /* extension */,
    0xff /* of an application */,
    11,
    ...ascii("NETSCAPE2.0"),
    3,
    1,
    ...uint16(0) /* for ever */,
    0,
  ]);
}

/** Section 27. */
export const GIF_END: Uint8Array = Uint8Array.of(0x3b);

/** Browsers take delays below two hundredths for a mistake and wait a tenth. */
const LEAST_DELAY = 2;

/** Sections 20 to 23: a part of the picture, which stays for `delayMs` and then remains. */
export function gifFrame(at: Rect, pixels: IndexedPixels, delayMs: number): Uint8Array {
  const bits = Math.max(2, Math.ceil(Math.log2(Math.max(2, pixels.palette.length / 3))));
  const table = new Uint8Array(3 << bits);
  table.set(pixels.palette);
  const delay = Math.min(65_535, Math.max(LEAST_DELAY, Math.round(delayMs / 10)));
  const head = [
    0x21 /* extension */,
    0xf9 /* graphic control */,
    4,
    0x04 /* leave in place */,
    ...uint16(delay),
    0 /* no transparent colour */,
    0,
    0x2c /* image descriptor */,
    ...uint16(at.x),
    ...uint16(at.y),
    ...uint16(at.width),
    ...uint16(at.height),
    0x80 | (bits - 1) /* local colour table of 2^bits */,
  ];
  const data = blocks(lzw(pixels.indices, bits));
  const frame = new Uint8Array(head.length + table.length + 1 /* code size */ + data.length);
  frame.set(head);
  frame.set(table, head.length);
  frame[head.length + table.length] = bits;
  frame.set(data, head.length + table.length + 1);
  return frame;
}

const MOST_CODES = 4096;

/** Appendix F: variable-length-code LZW. */
function lzw(indices: Uint8Array, bits: number): Uint8Array {
  const clear = 1 << bits;
  const end = clear + 1;
  let out = new Uint8Array(Math.max(64, indices.length >> 1));
  let length = 0;
  let held = 0;
  let heldBits = 0;
  let codeBits = bits + 1;
  let next = end + 1;
  /** The code of (prefix, index), by `prefix * 256 + index`; 0 where there is none yet. */
  const table = new Uint16Array(MOST_CODES * 256);
  const put = (code: number): void => {
    held |= code << heldBits;
    heldBits += codeBits;
    while (heldBits >= 8) {
      if (length === out.length) {
        const longer = new Uint8Array(out.length * 2);
        longer.set(out);
        out = longer;
      }
      out[length++] = held & 255;
      held >>>= 8;
      heldBits -= 8;
    }
  };
  put(clear);
  let prefix = indices[0] ?? 0;
  for (let i = 1; i < indices.length; i++) {
    const index = indices[i]!;
    const known = table[prefix * 256 + index]!;
    if (known !== 0) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (next < MOST_CODES) {
      table[prefix * 256 + index] = next;
      // The reader's table is one code behind: it grows when the code just made no longer fits.
      if (next === 1 << codeBits) codeBits += 1;
      next += 1;
    } else {
      put(clear);
      table.fill(0);
      codeBits = bits + 1;
      next = end + 1;
    }
    prefix = index;
  }
  put(prefix);
  // The last code made an entry for the reader as well.
  if (next === 1 << codeBits && codeBits < 12) codeBits += 1;
  put(end);
  if (heldBits > 0) {
    codeBits = 8 - heldBits;
    put(0);
  }
  return out.subarray(0, length);
}

/** Section 15: sub-blocks of at most 255 bytes, ended by an empty one. */
function blocks(data: Uint8Array): Uint8Array {
  const count = Math.ceil(data.length / 255);
  const out = new Uint8Array(data.length + count + 1);
  for (let i = 0, at = 0; i < count; i++) {
    const part = data.subarray(i * 255, i * 255 + 255);
    out[at] = part.length;
    out.set(part, at + 1);
    at += part.length + 1;
  }
  return out;
}

function ascii(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function uint16(value: number): [number, number] {
  return [value & 255, value >> 8];
}
