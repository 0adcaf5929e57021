import fc from "fast-check";
import t from "tap";
import type { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { type PixelFormat, RGBX } from "../../../../src/framebuffer/pixel-format.ts";
import { nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { hextile } from "../../../../src/protocols/rfb/encodings/hextile.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { numbers } from "../../../framebuffer/frames.ts";
import { decode, Incomplete } from "./decode-harness.ts";

const SIDE = 16;
/** The same bytes, but blue where red was: read without the kernel. */
const BGRX: PixelFormat = { ...RGBX, redShift: 16, greenShift: 8, blueShift: 0 };

/** Where a picture lies: its tiles are painted in its own memory, or on scratch memory and brought there. */
const PLACES = { "in its own memory": true, "on scratch memory": false };

/** Tiles of every kind; `faults`: of so many bytes one is changed at random, 0 for none. */
function tilesOf(seed: number, width: number, height: number, faults: number): Uint8Array {
  const next = numbers(seed);
  const out: number[] = [];
  const pixel = (): number[] => [next() & 255, next() & 255, next() & 255, next() & 255];
  for (let y = 0; y < height; y += SIDE) {
    for (let x = 0; x < width; x += SIDE) {
      const columns = Math.min(SIDE, width - x);
      const rows = Math.min(SIDE, height - y);
      const kind = out.length === 0 ? 6 | (next() & 24) : next() & 31;
      out.push(kind);
      if (kind & 1) {
        for (let i = 0; i < columns * rows; i++) out.push(...pixel());
        continue;
      }
      if (kind & 2) out.push(...pixel());
      if (kind & 4) out.push(...pixel());
      if ((kind & 8) === 0) continue;
      const count = next() % 256;
      out.push(count);
      for (let n = 0; n < count; n++) {
        if (kind & 16) out.push(...pixel());
        const left = next() % columns;
        const top = next() % rows;
        // Of letters' edges most are single pixels, of which some follow each other.
        const isPixel = next() % 16 > 0;
        const across = isPixel ? 0 : next() % (columns - left);
        const down = isPixel ? 0 : next() % (rows - top);
        out.push((left << 4) | top, (across << 4) | down);
      }
    }
  }
  const bytes = Uint8Array.from(out);
  for (let at = 0; faults > 0 && at < bytes.length; at += 1 + (next() % (2 * faults)))
    bytes[at] = next() & 255;
  return bytes;
}

/** What decoding came to: the picture's words, or why there is none. */
function outcome(
  format: PixelFormat,
  body: Uint8Array,
  width: number,
  height: number,
  sizes: number[],
  hasKernels = false,
): string {
  const rect = { x: 3, y: 2, width, height };
  try {
    const rects = [{ encoding: hextile, rect, body }];
    const { framebuffer } = decode(rects, width + 5, height + 4, sizes, nodeInflate, format, hasKernels);
    return (format === RGBX ? framebuffer.words : swapped(framebuffer)).join();
  } catch (error) {
    if (error instanceof RfbError) return error.message;
    if (error instanceof Incomplete) return "incomplete";
    return String(error);
  }
}

function swapped({ words }: Framebuffer): Uint32Array {
  return words.map((word) => (word & 0xff00ff00) | ((word & 255) << 16) | ((word >>> 16) & 255));
}

for (const [place, isOwn] of Object.entries(PLACES)) {
  t.test(`the kernel paints and refuses as its twin does, however the bytes come: ${place}`, async () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 30, 400),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 }),
        (seed, width, height, faults, sizes) => {
          const body = tilesOf(seed, width, height, faults);
          const kernel = outcome(RGBX, body, width, height, sizes, isOwn);
          return kernel === outcome(BGRX, body, width, height, sizes);
        },
      ),
      { numRuns: 300 },
    );
  });
}
