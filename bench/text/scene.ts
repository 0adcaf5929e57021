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
  /** False: `rect` is that of the button, the cell or the label that holds the word. Default: it is the word's. */
  readonly isExact?: boolean;
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

/** Words, in their order, with the line that each stands in: the next begins where a word is not right behind another. */
export function inLines(
  words: readonly (Omit<TrueWord, "line" | "rect"> & { readonly rect: Rect })[],
): TrueWord[] {
  let line = -1;
  let last: Rect | null = null;
  return words.map((word) => {
    const { rect } = word;
    const isNext =
      last !== null &&
      Math.abs(rect.y + rect.height / 2 - last.y - last.height / 2) <
        0.4 * Math.min(rect.height, last.height) &&
      ((rect.x === last.x && word.isExact === false) ||
        (rect.x > last.x && rect.x - last.x - last.width < 1.2 * rect.height));
    if (!isNext) line++;
    last = rect;
    return { ...word, line };
  });
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
      isExact: z.boolean().default(true),
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
        words: words.map(({ text, box, line, isExact }) => ({
          text,
          line,
          isExact,
          rect: box === null ? null : { x: box[0], y: box[1], width: box[2], height: box[3] },
        })),
        knownFrom: kind === "chromium" || kind === "mixed" ? BAR_HEIGHT : 0,
      };
    });
}
