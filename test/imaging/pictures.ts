import sharp from "sharp";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import type { Picture } from "../../src/framebuffer/picture.ts";
import { type Rect, rectOfSize } from "../../src/framebuffer/rect.ts";
import { pictureOf } from "../../src/imaging/pixels.ts";

/** Numbers that look random and are the same each time. */
export function noise(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return state >>> 8;
  };
}

/** A frame with something for every encoder: flat parts, letters' sharp edges, gradients and noise. */
export function paintedFrame(width: number, height: number, seed = 1): Framebuffer {
  const frame = new Framebuffer(width, height);
  const next = noise(seed);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const part = (x >> 4) + (y >> 5);
      let word = 0xf0f0f0;
      if (part % 4 === 1) word = next() % 5 === 0 ? 0x202020 : 0xffffff;
      if (part % 4 === 2) word = (x & 255) | ((y & 255) << 8) | (((x + y) & 255) << 16);
      if (part % 4 === 3) word = next() & 0xffffff;
      frame.fill({ x, y, width: 1, height: 1 }, word);
    }
  }
  return frame;
}

export function frameAsPicture(frame: Framebuffer): Picture {
  return pictureOf({ width: frame.width, height: frame.height, rgba: frame.bytes });
}

/** RGB bytes of one rectangle, read pixel by pixel. */
export function rgbOf(frame: Framebuffer, r: Rect = rectOfSize(frame)): Uint8Array {
  const rgb = new Uint8Array(r.width * r.height * 3);
  let at = 0;
  for (let y = r.y; y < r.y + r.height; y++) {
    for (let x = r.x; x < r.x + r.width; x++) {
      const word = frame.words[y * frame.width + x] ?? 0;
      rgb[at++] = word & 255;
      rgb[at++] = (word >> 8) & 255;
      rgb[at++] = (word >> 16) & 255;
    }
  }
  return rgb;
}

/** Decodes an image by a decoder that is not ours. */
export async function decoded(image: Uint8Array): Promise<{
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly format: string | undefined;
  readonly bytes: Buffer;
}> {
  const { format } = await sharp(image).metadata();
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, format, bytes: data };
}
