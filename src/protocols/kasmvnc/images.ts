import { type Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../byte-queue.ts";
import type { RgbaImage } from "../platform.ts";
import type { ClientContext } from "../rfb/client/client-context.ts";
import { perform } from "../rfb/client/effect.ts";
import { badData } from "../rfb/encodings/bad-data.ts";
import type { DecoderState } from "../rfb/encodings/encoding.ts";
import { readTightLength } from "../rfb/encodings/tight-decode.ts";
import { decodeLatin1 } from "../rfb/latin1.ts";
import { decodeQoi, qoiSize } from "./qoi.ts";

/** Compact length, a whole image file; a view that is valid until the next push. */
function* readImage(from: ByteQueue): Parser<Uint8Array> {
  const length = yield* readTightLength(from);
  while (!from.has(length)) yield length;
  return from.take(length);
}

/** Tight kind 9 as KasmVNC has it: the image may be smaller than the rectangle. */
export function* decodeKasmJpeg(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
): Parser<void> {
  const jpeg = yield* readImage(from);
  let image: RgbaImage;
  try {
    checkImageSize("jpeg", state.jpeg.size(jpeg), rect);
    image = state.jpeg.decode(jpeg);
  } catch (cause) {
    throw badData("jpeg is damaged or larger than its rectangle", cause);
  }
  paintStretched(wordsOf(image.rgba), image, to, rect);
}

/** Tight kind 0xC: a QOI file. */
export function* decodeKasmQoi(from: ByteQueue, to: Framebuffer, rect: Rect): Parser<void> {
  const qoi = yield* readImage(from);
  const size = qoiSize(qoi);
  checkImageSize("qoi", size, rect);
  paintStretched(decodeQoi(qoi), size, to, rect);
}

/** Tight kind 0xB: a WebP file, which the platform decodes while the parser waits. */
export function* decodeKasmWebp(
  c: ClientContext,
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
): Parser<void> {
  const bytes = (yield* readImage(from)).slice(); // bytes that come meanwhile may move the queue
  const size = webpSize(bytes);
  checkImageSize("webp", size, rect);
  const decoded: RgbaImage[] = [];
  yield* perform(c, {
    kind: "decodeImage",
    format: "webp",
    bytes,
    ...size,
    finish: (image) => {
      if (image !== null) decoded.push(image);
    },
  });
  const [image] = decoded;
  const isWhole = image?.width === size.width && image.height === size.height;
  if (!isWhole || image.rgba.length < size.width * size.height * 4) throw badData("webp is damaged");
  paintStretched(wordsOf(image.rgba), size, to, rect);
}

/**
 * In video mode the server sends images smaller than their rectangle, never larger (KasmVNC 1.5.0, 2026-11-21).
 * Checked from an image's header, before anything is decoded. Throws RfbError `bad_data`.
 */
function checkImageSize(name: string, { width, height }: Size, rect: Rect): void {
  if (width >= 1 && height >= 1 && width <= rect.width && height <= rect.height) return;
  throw badData(
    `${name} of ${width}x${height}, expected 1x1 to ${rect.width}x${rect.height} as the rectangle`,
  );
}

/** Paints `words` (width x height pixels, alpha ignored) over the whole rectangle, each pixel the nearest. */
function paintStretched(words: Uint32Array, { width, height }: Size, to: Framebuffer, rect: Rect): void {
  const target = to.words;
  const columns = new Uint32Array(rect.width);
  for (let x = 0; x < rect.width; x++) columns[x] = Math.floor((x * width) / rect.width);
  for (let y = 0; y < rect.height; y++) {
    const source = Math.floor((y * height) / rect.height) * width;
    const row = (rect.y + y) * to.width + rect.x;
    for (let x = 0; x < rect.width; x++) target[row + x] = OPAQUE | words[source + columns[x]!]!;
  }
}

/** Pixels R, G, B, A as words; a copy only where they do not lie on a word's boundary. */
function wordsOf(rgba: Uint8Array): Uint32Array {
  const isAligned = rgba.byteOffset % 4 === 0;
  const bytes = isAligned ? rgba : rgba.slice();
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}

/** Bytes up to the sizes of all three kinds of first chunk. */
const HEADER_BYTES = 30;

/** The size in the header of a WebP file, RFC 9649 sections 2.4 to 2.7. Throws RfbError `bad_data`. */
export function webpSize(bytes: Uint8Array): Size {
  if (bytes.length < HEADER_BYTES) {
    throw badData(`webp of ${bytes.length} bytes, expected at least ${HEADER_BYTES}`);
  }
  const text = (at: number): string => decodeLatin1(bytes.subarray(at, at + 4));
  if (text(0) !== "RIFF" || text(8) !== "WEBP") throw badData("webp without its signature");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (text(12)) {
    case "VP8 ":
      // Three bytes of frame tag, start code, then two sizes of 14 bits with 2 bits of scale each.
      if (view.getUint16(23) !== 0x9d01 || view.getUint8(25) !== 0x2a) break;
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      if (view.getUint8(20) !== 0x2f) break;
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X": {
      const width = view.getUint16(24, true) | (view.getUint8(26) << 16);
      const height = view.getUint16(27, true) | (view.getUint8(29) << 16);
      return { width: width + 1, height: height + 1 };
    }
  }
  throw badData("webp with a damaged header");
}
