import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { decodePicture } from "../../src/compositor/picture-file.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";
import type { PixelPicture } from "../../src/vision/cut/pixel-picture.ts";

/** A word that a picture shows. */
export interface TrueWord {
  readonly text: string;
  /** Pixels of the picture; null where only the order of words is known. */
  readonly rect: Rect | null;
  /** Words of one number stand in one line. */
  readonly line: number;
}

/** A picture and the words that it shows. */
export interface Scene {
  readonly name: string;
  /** What painted it. */
  readonly kind: string;
  /** PNG. */
  readonly file: Uint8Array;
  readonly words: readonly TrueWord[];
  /** What is read above this row is not known to be right or wrong. */
  readonly knownFrom: number;
}

/** One word a pixel, as lines are cut out of it. */
export async function pixelsOf({ file }: Pick<Scene, "file">): Promise<PixelPicture> {
  const { width, height, rgba } = await decodePicture(file);
  const words = new Uint32Array(width * height);
  new Uint8Array(words.buffer).set(rgba);
  return { width, height, words };
}

/** Truth as a file beside the picture of the same name. */
const truthFile = z.object({
  name: z.string(),
  kind: z.string(),
  words: z.array(
    z.object({
      text: z.string(),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullable(),
      line: z.int(),
    }),
  ),
});

/** A browser's own bar in scenes that were taken with one. */
const BAR_HEIGHT = 87;

/** The scenes of a folder, each a NAME.png and a NAME.json, by name. */
export function loadScenes(folder: string): Scene[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((file) => {
      const { name, kind, words } = truthFile.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
      return {
        name,
        kind,
        file: readFileSync(join(folder, file.replace(/json$/, "png"))),
        words: words.map(({ text, box, line }) => ({
          text,
          line,
          rect: box === null ? null : { x: box[0], y: box[1], width: box[2], height: box[3] },
        })),
        knownFrom: kind === "chromium" || kind === "mixed" ? BAR_HEIGHT : 0,
      };
    });
}
