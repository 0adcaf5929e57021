import { createCanvas, ImageData, loadImage } from "@napi-rs/canvas";
import { isAcceptableSize } from "../framebuffer/framebuffer.ts";
import type { Size } from "../framebuffer/rect.ts";
import { nextTurn } from "../platform/loop-turns.ts";
import { CompositorError } from "./error.ts";

/** Pixels of a whole picture, R, G, B, A, without padding between rows. */
export interface RgbaPixels extends Size {
  readonly rgba: Uint8ClampedArray;
}

/** Rows read back at a time: a canvas of 1 MiB or more is read much slower (@napi-rs/canvas 1.0.11, November 2026). */
const STRIP_PIXELS = 128 * 1024;

/**
 * The pixels of a PNG, JPEG or WebP that we made ourselves; exact where the format is. Throws CompositorError
 * bad_overlay for what is no picture, or larger than a desktop may be.
 */
export async function decodePicture(bytes: Uint8Array): Promise<RgbaPixels> {
  const image = await loadImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).catch(
    (cause: unknown) => {
      throw new CompositorError("bad_overlay", "the picture cannot be decoded", { cause });
    },
  );
  const { width, height } = image;
  if (!isAcceptableSize({ width, height })) {
    throw new CompositorError(
      "bad_overlay",
      `the picture is ${width}x${height}, larger than a desktop may be`,
    );
  }
  const rgba = new Uint8ClampedArray(width * height * 4);
  const stripRows = Math.min(height, Math.max(1, Math.floor(STRIP_PIXELS / width)));
  const canvas = createCanvas(width, stripRows);
  const context = canvas.getContext("2d");
  for (let top = 0; top < height; top += stripRows) {
    const rows = Math.min(stripRows, height - top);
    context.clearRect(0, 0, width, stripRows);
    context.drawImage(image, 0, -top);
    rgba.set(context.getImageData(0, 0, width, rows).data, top * width * 4);
    if (top + rows < height) await nextTurn();
  }
  return { width, height, rgba };
}

/** A whole picture as a file: png is exact; `quality` is of the others, 1 to 100. */
export async function encodePicture(
  { width, height, rgba }: RgbaPixels,
  format: "png" | "jpeg" | "webp",
  quality = 80,
): Promise<Uint8Array> {
  const canvas = createCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
  return format === "png" ? canvas.encode("png") : canvas.encode(format, quality);
}
