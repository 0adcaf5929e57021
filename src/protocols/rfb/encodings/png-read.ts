import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { ByteQueue } from "../../byte-queue.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";
import { Inflated } from "./inflated.ts";

/** PNG section 5.2. */
export const PNG_SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);

/** Colour types, PNG section 11.2.2: what a sample is, and how many a pixel has. */
export const PNG_COLOUR = { grey: 0, rgb: 2, indexed: 3, greyAlpha: 4, rgba: 6 } as const;
const SAMPLES = new Map<number, number>([
  [PNG_COLOUR.grey, 1],
  [PNG_COLOUR.rgb, 3],
  [PNG_COLOUR.indexed, 1],
  [PNG_COLOUR.greyAlpha, 2],
  [PNG_COLOUR.rgba, 4],
]);

const HEADER_BYTES = 13;
const CHUNK_BYTES = 4 /* length */ + 4 /* type */ + 4 /* CRC */;

interface PngImage {
  readonly depth: number;
  readonly colour: number;
  readonly palette: Uint32Array;
  readonly data: ByteQueue;
}

/**
 * Paints a PNG image (W3C PNG, third edition) of the rectangle's size, alpha ignored: 8 bits a sample, or 1, 2 or 4
 * in grey and indexed ones, not interlaced, as VNC servers make them. Throws RfbError `bad_data` for all else. CRCs
 * are not looked at: the connection guards the bytes, and zlib's own sum the pixels.
 */
export function paintPng(png: Uint8Array, to: Framebuffer, rect: Rect, state: DecoderState): void {
  const image = readChunks(png, rect);
  const samples = SAMPLES.get(image.colour) ?? 1;
  const rowBytes = Math.ceil((rect.width * samples * image.depth) / 8);
  const step = Math.max(1, (samples * image.depth) >> 3);
  const stream = state.stream("png");
  stream.reset();
  const lineBytes = 1 + rowBytes;
  const total = lineBytes * rect.height;
  const body = new Inflated("png", image.data, stream, state, image.data.size, total, lineBytes);
  let above = new Uint8Array(rowBytes);
  let row = new Uint8Array(rowBytes);
  for (let y = 0; y < rect.height; y++) {
    body.fill(lineBytes);
    if (body.end - body.start < lineBytes) throw badData("png data ends before the last row");
    row.set(body.bytes.subarray(body.start + 1, body.start + lineBytes));
    unfilter(body.bytes[body.start] ?? 0, row, above, step);
    body.start += lineBytes;
    paintRow(image, row, to.words, (rect.y + y) * to.width + rect.x, rect.width);
    [above, row] = [row, above];
  }
  body.fill(1);
  body.checkUsedUp();
}

/** PNG section 5.3: of each chunk U32 length, four letters, data, U32 CRC; IHDR first, IEND last. */
function readChunks(png: Uint8Array, rect: Rect): PngImage {
  if (PNG_SIGNATURE.some((byte, i) => png[i] !== byte)) throw badData("png without its signature");
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const data = new ByteQueue();
  let header: { depth: number; colour: number } | null = null;
  let palette = new Uint32Array(256).fill(OPAQUE);
  for (let at = PNG_SIGNATURE.length; at + CHUNK_BYTES <= png.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    const start = at + 8;
    if (length > png.length - start - 4) throw badData(`png chunk of ${length} bytes, expected it to end`);
    at = start + length + 4;
    const chunk = png.subarray(start, start + length);
    if (header === null && type !== "IHDR") throw badData("png without header, expected it first");
    if (type === "IHDR") header = readHeader(chunk, rect);
    else if (type === "PLTE") palette = readPalette(chunk);
    else if (type === "IDAT") data.push(chunk);
    else if (type === "IEND") break;
    // Chunks that begin with a capital letter are needed to understand the image.
    else if (type < "a") throw badData("png with an unknown critical chunk");
  }
  if (header === null) throw badData("png without header, expected it first");
  return { ...header, palette, data };
}

/** U32 width, U32 height, U8 depth, U8 colour type, U8 compression, U8 filter, U8 interlace. */
function readHeader(chunk: Uint8Array, rect: Rect): { depth: number; colour: number } {
  if (chunk.length !== HEADER_BYTES) throw badData(`png header of ${chunk.length} bytes, expected 13`);
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const width = view.getUint32(0);
  const height = view.getUint32(4);
  if (width !== rect.width || height !== rect.height) {
    throw badData(`png of ${width}x${height}, expected ${rect.width}x${rect.height} as the rectangle`);
  }
  const [depth = 0, colour = 0, compression = 0, filter = 0, interlace = 0] = chunk.subarray(8);
  const isSmall = depth === 1 || depth === 2 || depth === 4;
  const isPlain = colour === PNG_COLOUR.grey || colour === PNG_COLOUR.indexed;
  if (!SAMPLES.has(colour) || !(depth === 8 || (isSmall && isPlain))) {
    throw badData(`png of colour type ${colour} with ${depth} bits, expected 8, fewer in grey and indexed`);
  }
  if (compression !== 0 || filter !== 0 || interlace !== 0) {
    throw badData(
      `png with methods ${compression}, ${filter} and ${interlace}, expected 0 and no interlacing`,
    );
  }
  return { depth, colour };
}

function readPalette(chunk: Uint8Array): Uint32Array<ArrayBuffer> {
  if (chunk.length > 3 * 256) throw badData(`png palette of ${chunk.length} bytes, expected at most 768`);
  const palette = new Uint32Array(256).fill(OPAQUE);
  for (let i = 0; i * 3 + 2 < chunk.length; i++) {
    palette[i] = OPAQUE | chunk[i * 3]! | (chunk[i * 3 + 1]! << 8) | (chunk[i * 3 + 2]! << 16);
  }
  return palette;
}

/** PNG section 9: each byte is what it adds to a guess from the bytes before it and above it. */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, step: number): void {
  if (type > 4) throw badData(`png filter ${type}, expected 0 to 4`);
  if (type === 0) return;
  for (let i = 0; i < row.length; i++) {
    const left = i < step ? 0 : row[i - step]!;
    const up = above[i]!;
    if (type === 1) row[i]! += left;
    else if (type === 2) row[i]! += up;
    else if (type === 3) row[i]! += (left + up) >> 1;
    else row[i]! += paeth(left, up, i < step ? 0 : above[i - step]!);
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toUpLeft = Math.abs(guess - upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

function paintRow(image: PngImage, row: Uint8Array, words: Uint32Array, start: number, width: number): void {
  const { depth, colour, palette } = image;
  const end = start + width;
  if (colour === PNG_COLOUR.rgb || colour === PNG_COLOUR.rgba) {
    const step = colour === PNG_COLOUR.rgb ? 3 : 4;
    for (let i = start, p = 0; i < end; i++, p += step) {
      words[i] = OPAQUE | row[p]! | (row[p + 1]! << 8) | (row[p + 2]! << 16);
    }
    return;
  }
  const step = colour === PNG_COLOUR.greyAlpha ? 2 : 1;
  const mask = (1 << depth) - 1;
  const perByte = 8 / depth;
  for (let x = 0; x < width; x++) {
    const byte = row[Math.floor(x / perByte) * step]!;
    const sample = (byte >> (8 - depth - depth * (x % perByte))) & mask;
    const grey = Math.round((sample * 255) / mask) * 0x010101;
    words[start + x] = colour === PNG_COLOUR.indexed ? palette[sample]! : OPAQUE | grey;
  }
}
