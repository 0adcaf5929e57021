import type { Size } from "../../framebuffer/rect.ts";
import type { Box } from "./box.ts";

/** A picture of one word a pixel, red in the lowest byte, without padding between rows. */
export interface PixelPicture extends Size {
  readonly words: Uint32Array;
}

/** True where no channel differs by more than `by`. */
export function isNear(a: number, b: number, by: number): boolean {
  if (a === b) return true;
  const red = (a & 255) - (b & 255);
  const green = ((a >>> 8) & 255) - ((b >>> 8) & 255);
  const blue = ((a >>> 16) & 255) - ((b >>> 16) & 255);
  return red <= by && red >= -by && green <= by && green >= -by && blue <= by && blue >= -by;
}

/** The mean difference of the channels, 0 to 255. */
export function distance(a: number, b: number): number {
  const red = Math.abs((a & 255) - (b & 255));
  const green = Math.abs(((a >>> 8) & 255) - ((b >>> 8) & 255));
  const blue = Math.abs(((a >>> 16) & 255) - ((b >>> 16) & 255));
  return (red + green + blue) / 3;
}

/** The colour that most pixels of a box have, and their share. */
export function commonestColour(
  { words, width }: PixelPicture,
  { left, top, right, bottom }: Box,
): { readonly colour: number; readonly share: number } {
  const counts = new ColourCounts();
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left; at < y * width + right; at++) counts.add(words[at]!);
  }
  return { colour: counts.commonest, share: counts.most / ((right - left) * (bottom - top)) };
}

/** The commonest colour of the pixels just outside of a box. */
export function colourAround(picture: PixelPicture, { left, top, right, bottom }: Box): number {
  const { words, width, height } = picture;
  const counts = new ColourCounts();
  for (const y of [top - 1, bottom]) {
    if (y < 0 || y >= height) continue;
    for (let x = left; x < right; x++) counts.add(words[y * width + x]!);
  }
  for (let y = top; y < bottom; y++) {
    if (left > 0) counts.add(words[y * width + left - 1]!);
    if (right < width) counts.add(words[y * width + right]!);
  }
  return counts.commonest;
}

/** Counts colours; runs of one colour, which most of a screen is, cost no look-up. */
class ColourCounts {
  readonly #counts = new Map<number, number>();
  #last = -1;
  #run = 0;

  add(colour: number): void {
    if (colour === this.#last) {
      this.#run++;
      return;
    }
    this.#flush();
    this.#last = colour;
    this.#run = 1;
  }

  /** How often the commonest was counted. */
  get most(): number {
    return this.#counts.get(this.commonest) ?? 0;
  }

  /** 0 where nothing was counted. */
  get commonest(): number {
    this.#flush();
    let most = 0;
    let found = 0;
    for (const [colour, count] of this.#counts) {
      if (count <= most) continue;
      most = count;
      found = colour;
    }
    return found;
  }

  #flush(): void {
    if (this.#run === 0) return;
    this.#counts.set(this.#last, (this.#counts.get(this.#last) ?? 0) + this.#run);
    this.#run = 0;
    this.#last = -1;
  }
}
