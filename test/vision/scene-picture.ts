import { readFileSync } from "node:fs";
import { decodePicture } from "../../src/compositor/picture-file.ts";
import type { PixelPicture } from "../../src/vision/cut/pixel-picture.ts";

/** A picture of a real program, from scenes/. */
export async function scenePicture(name: string): Promise<PixelPicture> {
  const { width, height, rgba } = await decodePicture(
    readFileSync(new URL(`scenes/${name}.png`, import.meta.url)),
  );
  const words = new Uint32Array(width * height);
  new Uint8Array(words.buffer).set(rgba);
  return { width, height, words };
}
