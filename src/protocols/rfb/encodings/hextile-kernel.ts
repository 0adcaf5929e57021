import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { clearedScratch } from "../../../framebuffer/kernels/kernel-scratch.ts";
import type { PictureMemory } from "../../../framebuffer/kernels/picture-memory.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue } from "../../byte-queue.ts";

/** A side of a full tile, RFC 6143 section 7.7.4. */
export const HEXTILE_SIDE = 16;

/**
 * Where the next tile lies in its rectangle, and colours that hold until a later tile changes them; null where no tile
 * of the rectangle gave one. Signed, for beyond 2^31 an engine would keep them as doubles.
 */
export interface Tiles {
  x: number;
  y: number;
  background: number | null;
  foreground: number | null;
}

/** Wire bytes put on the scratch memory at once. */
const MOST_WIRE_BYTES = 256 * 1024;

/** Bits of what the kernel knows of a rectangle's colours. */
const HAS_BACKGROUND = 1;
const HAS_FOREGROUND = 2;

/** Numbers of the kernel's state: x and y, background, foreground, which of these are known. */
const STATE_NUMBERS = 5;
const STATE_BYTES = 4 * STATE_NUMBERS;

/**
 * Paints the tiles of R, G, B, x that arrived whole. It stops at the first that is not whole, or wrong: whoever paints
 * without the kernel says which.
 */
export function paintByKernel(from: ByteQueue, to: Framebuffer, rect: Rect, tiles: Tiles): void {
  const { kernelMemory } = to;
  if (kernelMemory === null) paintOnScratch(from, to, rect, tiles);
  else paintInPlace(from, to, kernelMemory, rect, tiles);
}

function paintInPlace(
  from: ByteQueue,
  to: Framebuffer,
  { kernels, buffer, pixels, band, bandBytes, places }: PictureMemory,
  rect: Rect,
  tiles: Tiles,
): void {
  const bytes = new Uint8Array(buffer);
  const numbers = new Int32Array(buffer, places, STATE_NUMBERS);
  const first = pixels + (rect.y * to.width + rect.x) * BYTES_PER_PIXEL;
  while (tiles.y < rect.height && from.size > 0) {
    const size = Math.min(from.size, bandBytes);
    bytes.set(from.peek(size), band);
    putState(tiles, numbers);
    const { width, height } = rect;
    const end = kernels.paintHextile(band, band + size, first, to.strideBytes, width, height, places);
    tiles.x = numbers[0]!;
    tiles.y = numbers[1]!;
    takeColours(tiles, numbers);
    from.skip(end - band);
    if (end === band || size < bandBytes) return;
  }
}

/** Each line of tiles is painted in the processor's cache, then put in its place. */
function paintOnScratch(from: ByteQueue, to: Framebuffer, rect: Rect, tiles: Tiles): void {
  while (tiles.y < rect.height && from.size > 0) {
    const scratch = clearedScratch();
    if (scratch === null) return;
    const size = Math.min(from.size, MOST_WIRE_BYTES);
    const stride = rect.width * BYTES_PER_PIXEL;
    const state = scratch.take(STATE_BYTES);
    const wire = scratch.take(size);
    const line = scratch.take(stride * HEXTILE_SIDE);
    if (state < 0 || wire < 0 || line < 0) return;
    const { bytes, words, kernels } = scratch;
    bytes.set(from.peek(size), wire);
    const numbers = new Int32Array(words.buffer, state, STATE_NUMBERS);
    putState(tiles, numbers);
    let at = wire;
    let isAtEnd = false;
    while (tiles.y < rect.height && !isAtEnd) {
      const rows = Math.min(HEXTILE_SIDE, rect.height - tiles.y);
      numbers[0] = tiles.x;
      numbers[1] = 0;
      at = kernels.paintHextile(at, wire + size, line, stride, rect.width, rows, state);
      isAtEnd = numbers[1] === 0;
      const left = tiles.x;
      const right = isAtEnd ? numbers[0] : rect.width;
      let source = line / BYTES_PER_PIXEL + left;
      let place = (rect.y + tiles.y) * to.width + rect.x + left;
      if (right > left) {
        for (let row = 0; row < rows; row++, source += rect.width, place += to.width) {
          to.words.set(words.subarray(source, source + right - left), place);
        }
      }
      tiles.x = isAtEnd ? right : 0;
      if (!isAtEnd) tiles.y += HEXTILE_SIDE;
    }
    takeColours(tiles, numbers);
    from.skip(at - wire);
    if (at === wire || size < MOST_WIRE_BYTES) return;
  }
}

function putState({ x, y, background, foreground }: Tiles, numbers: Int32Array): void {
  const known = (background === null ? 0 : HAS_BACKGROUND) | (foreground === null ? 0 : HAS_FOREGROUND);
  numbers.set([x, y, background ?? 0, foreground ?? 0, known]);
}

function takeColours(tiles: Tiles, numbers: Int32Array): void {
  const known = numbers[4]!;
  tiles.background = (known & HAS_BACKGROUND) === 0 ? null : numbers[2]!;
  tiles.foreground = (known & HAS_FOREGROUND) === 0 ? null : numbers[3]!;
}
