import sharp from "sharp";
import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import { checkQuality, copyRows, cropOf } from "../pixels.ts";
import { type StripFormat, StripSet } from "../strip-set.ts";

/** WebP keeps a side in 14 bits, RFC 9649 section 2.6. */
const MOST_SIDE = 16_383;

/** libwebp's least effort: more takes several times as long for a few per cent. */
const EFFORT = 0;

/**
 * The WebP of one rectangle, made in another thread: lossless, or of a quality of 1 to 100. The pixels are taken
 * before this returns. Throws a RangeError for another quality, a side WebP has no room for, and a rectangle that is
 * empty or leaves the picture.
 */
export async function encodeWebp(
  picture: Picture,
  rect: Rect,
  quality: number | null = null,
): Promise<Buffer> {
  const crop = cropOf(picture, rect);
  return await new StripSet(crop, webpFormat(crop, quality)).encodeNow(crop);
}

/** For one encode: strips are only taken; sharp has threads of its own, and wants all pixels at once. */
export function webpFormat({ width, height }: Size, quality: number | null): StripFormat<null, true> {
  if (quality !== null) checkQuality(quality);
  if (width > MOST_SIDE || height > MOST_SIDE) {
    throw new RangeError(
      `picture of ${width}x${height} pixels refused: WebP holds at most ${MOST_SIDE} a side`,
    );
  }
  const sizeBytes = width * height * BYTES_PER_PIXEL;
  let memory: ArrayBuffer | null = takeMemory(sizeBytes);
  const pixelsOfAll = (): Uint8Array => {
    if (memory === null) throw new Error("a WebP was encoded already: expected a format of its own for each");
    return new Uint8Array(memory, 0, sizeBytes);
  };
  return {
    take(pixels, _width, rows, y) {
      copyRows(pixels, width, rows, pixelsOfAll().subarray(y * width * BYTES_PER_PIXEL));
      return null;
    },
    rgbaOf: (_taken, _width, rows, y) => {
      const rowBytes = width * BYTES_PER_PIXEL;
      return pixelsOfAll().subarray(y * rowBytes, (y + rows) * rowBytes);
    },
    compress: () => true,
    async assemble() {
      const file = await sharp(pixelsOfAll(), { raw: { width, height, channels: BYTES_PER_PIXEL } })
        .removeAlpha()
        .webp(quality === null ? { lossless: true, effort: EFFORT } : { quality, effort: EFFORT })
        .toBuffer();
      if (memory !== null) spare.push(new WeakRef(memory));
      memory = null;
      return file;
    },
  };
}

/** Of pictures that are done. What is not taken again until memory is collected is collected. */
const spare: WeakRef<ArrayBuffer>[] = [];

/** Memory of at least so many bytes: one after another hundreds of pictures make hundreds of times as much garbage. */
function takeMemory(sizeBytes: number): ArrayBuffer {
  for (let next = spare.pop(); next !== undefined; next = spare.pop()) {
    const memory = next.deref();
    if (memory !== undefined && memory.byteLength >= sizeBytes) return memory;
  }
  return new ArrayBuffer(sizeBytes);
}
