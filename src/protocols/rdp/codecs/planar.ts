import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { badData } from "./bad-data.ts";
import { rawPlane, rlePlane, skipRlePlane } from "./planar-plane.ts";
import { type PlanarRows, rleRows } from "./planar-rows.ts";
import { yCoCgWords } from "./ycocg.ts";

const COLOUR_LOSS_MASK = 0x07;
const IS_SUBSAMPLED = 0x08;
const IS_RUN_LENGTH = 0x10;
const HAS_NO_ALPHA = 0x20;

/** Three planes of a bitmap, and then its pixels, share one memory up to this size; hosts cut the screen into such. */
const SHARED_BYTES = (3 + 4) * 64 * 1024;
let shared: Planes | null = null;

/**
 * RDP 6.0 planar bitmaps, MS-RDPEGDI 2.2.2.5.1:
 *
 *     formatHeader (1 byte): colour loss level (3 bits), chroma subsampling, run-length, no alpha, 2 unused bits
 *     alphaPlane (where the header has it), then red, green, blue; with a colour loss level: luma, orange, green chroma
 *     pad (1 byte, uncompressed only)
 *
 * Fills the rows with opaque pixels in the order they come (legacy bitmaps: the bottom one first; EGFX: the top one).
 * Throws RdpError `bad_data` where the data ends early or a row does not fit; some rows may then be filled.
 * INVARIANT: the caller has checked that the rows are there.
 */
export function planar(data: Uint8Array, width: number, height: number, to: PlanarRows): void {
  const header = data[0];
  if (header === undefined) throw badData("planar data of 0 bytes, expected a format header");
  const colourLoss = header & COLOUR_LOSS_MASK;
  const isSubsampled = (header & IS_SUBSAMPLED) !== 0;
  if (isSubsampled && colourLoss === 0) {
    throw badData("planar chroma subsampling without colour loss, expected it with luma and chroma only");
  }
  const isRunLength = (header & IS_RUN_LENGTH) !== 0;
  let at = 1;
  // The alpha plane is only stepped over: nothing behind a desktop shows through.
  if ((header & HAS_NO_ALPHA) === 0) {
    at = isRunLength ? skipRlePlane(data, at, width, height) : at + width * height;
  }
  if (isRunLength && colourLoss === 0) {
    rleRows(data, at, width, height, to);
    return;
  }
  const plane = isRunLength ? rlePlane : rawPlane;
  const chromaWidth = isSubsampled ? (width + 1) >> 1 : width;
  const chromaHeight = isSubsampled ? (height + 1) >> 1 : height;
  // Planes begin at words, so that pixels are joined four at a time.
  const count = width * height;
  const second = (count + 3) & ~3;
  const third = second + ((chromaWidth * chromaHeight + 3) & ~3);
  const planes = memoryFor(3 * second + 4 * count);
  at = plane(data, at, width, height, planes.bytes, 0);
  at = plane(data, at, chromaWidth, chromaHeight, planes.bytes, second);
  plane(data, at, chromaWidth, chromaHeight, planes.bytes, third);
  const words = new Uint32Array(planes.bytes.buffer, 3 * second, count);
  if (colourLoss > 0) yCoCgWords(planes.bytes, second, third, width, height, isSubsampled, colourLoss, words);
  else joinPlanes(planes, second, words);
  for (let y = 0; y < height; y++) {
    to.words.set(words.subarray(y * width, (y + 1) * width), to.first + y * to.step);
  }
}

/** True where a planar bitmap does not give back the exact pixels, which is as its encoder chose. */
export function losesColour(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & COLOUR_LOSS_MASK) !== 0;
}

/** Red, green and blue, each `size` bytes after the other, a multiple of four, to words. */
function joinPlanes({ bytes, quads }: Planes, size: number, words: Uint32Array): void {
  const whole = words.length & ~3;
  let quad = 0;
  for (let i = 0; i < whole; i += 4, quad++) {
    const red = quads[quad]!;
    const green = quads[quad + (size >> 2)]!;
    const blue = quads[quad + (size >> 1)]!;
    words[i] = (red & 0xff) | ((green & 0xff) << 8) | ((blue & 0xff) << 16) | OPAQUE;
    words[i + 1] = ((red >> 8) & 0xff) | (green & 0xff00) | ((blue & 0xff00) << 8) | OPAQUE;
    words[i + 2] = ((red >> 16) & 0xff) | ((green >> 8) & 0xff00) | (blue & 0xff0000) | OPAQUE;
    words[i + 3] = (red >>> 24) | ((green >> 16) & 0xff00) | ((blue >> 8) & 0xff0000) | OPAQUE;
  }
  for (let i = whole; i < words.length; i++) {
    words[i] = bytes[i]! | (bytes[size + i]! << 8) | (bytes[2 * size + i]! << 16) | OPAQUE;
  }
}

/** The same memory as bytes, and four of them at a time. */
interface Planes {
  readonly bytes: Uint8Array;
  readonly quads: Int32Array;
}

/** So many bytes, whatever they hold: each is written before it is read, but those between the planes. */
function memoryFor(sizeBytes: number): Planes {
  if (sizeBytes > SHARED_BYTES) return planesOf(sizeBytes);
  shared ??= planesOf(SHARED_BYTES);
  return shared;
}

function planesOf(sizeBytes: number): Planes {
  const bytes = new Uint8Array(sizeBytes);
  return { bytes, quads: new Int32Array(bytes.buffer) };
}
