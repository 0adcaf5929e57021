import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../byte-queue.ts";
import type { RgbaImage } from "../platform.ts";
import type { Conversation } from "../rfb/client/conversation.ts";
import { perform } from "../rfb/client/effect.ts";
import { badData } from "../rfb/encodings/bad-data.ts";
import type { DecoderState } from "../rfb/encodings/encoding.ts";
import { readTightLength } from "../rfb/encodings/tight-decode.ts";
import { decodeQoi, qoiSize } from "./qoi.ts";
import { checkImageSize, paintStretched, wordsOf } from "./stretch.ts";
import { webpSize } from "./webp-size.ts";

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
export function* decodeKasmWebp(c: Conversation, from: ByteQueue, to: Framebuffer, rect: Rect): Parser<void> {
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
