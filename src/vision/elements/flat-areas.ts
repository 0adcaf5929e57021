import type { Box } from "../cut/box.ts";
import { isNear, type PixelPicture } from "../cut/pixel-picture.ts";

/** Pixels that hang together and differ by little from their neighbours: the ground of a button, a field or a window. */
export interface FlatArea extends Box {
  readonly pixels: number;
  /** Of its first pixel; a gradient has others. */
  readonly colour: number;
}

/** Colours of one area: what a gradient differs by from pixel to pixel. */
const GRADIENT = 2;
/** Shorter runs are what letters leave between them, or noise. */
const SHORTEST_RUN = 2;
/** Beyond so many a picture is noise and no window; what is above them is still told. */
const MOST_AREAS = 60_000;

/** All areas of a picture, united run by run, row after row. */
export function flatAreas({ words, width, height }: PixelPicture): FlatArea[] {
  const areas = new UnitedAreas();
  let above: number[] = [];
  for (let y = 0; y < height && areas.count < MOST_AREAS; y++) {
    const row = y * width;
    // Of three numbers each: first pixel, pixel after the last, area.
    const runs: number[] = [];
    let from = 0;
    let start = 0;
    for (let x = 1; x <= width; x++) {
      if (x < width && isNear(words[row + x]!, words[row + x - 1]!, GRADIENT)) continue;
      if (x - start >= SHORTEST_RUN) {
        while (from < above.length && above[from + 1]! <= start) from += 3;
        let area = -1;
        for (let k = from; k < above.length && above[k]! < x; k += 3) {
          const common = row + Math.max(start, above[k]!);
          if (!isNear(words[common]!, words[common - width]!, GRADIENT)) continue;
          area = area < 0 ? areas.rootOf(above[k + 2]!) : areas.unite(area, above[k + 2]!);
        }
        area = area < 0 ? areas.add(start, x, y, words[row + start]!) : areas.extend(area, start, x, y);
        runs.push(start, x, area);
      }
      start = x;
    }
    above = runs;
  }
  return areas.list();
}

interface Growing {
  left: number;
  top: number;
  right: number;
  bottom: number;
  pixels: number;
  readonly colour: number;
}

class UnitedAreas {
  readonly #parents: number[] = [];
  readonly #areas: Growing[] = [];

  get count(): number {
    return this.#parents.length;
  }

  rootOf(index: number): number {
    const parents = this.#parents;
    let at = index;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  }

  add(left: number, right: number, y: number, colour: number): number {
    this.#areas.push({ left, top: y, right, bottom: y + 1, pixels: right - left, colour });
    return this.#parents.push(this.#parents.length) - 1;
  }

  extend(index: number, left: number, right: number, y: number): number {
    const root = this.rootOf(index);
    const area = this.#areas[root]!;
    if (left < area.left) area.left = left;
    if (right > area.right) area.right = right;
    area.bottom = y + 1;
    area.pixels += right - left;
    return root;
  }

  unite(a: number, b: number): number {
    const root = this.rootOf(a);
    const other = this.rootOf(b);
    if (root === other) return root;
    this.#parents[other] = root;
    const [to, from] = [this.#areas[root]!, this.#areas[other]!];
    to.left = Math.min(to.left, from.left);
    to.top = Math.min(to.top, from.top);
    to.right = Math.max(to.right, from.right);
    to.bottom = Math.max(to.bottom, from.bottom);
    to.pixels += from.pixels;
    return root;
  }

  list(): FlatArea[] {
    return this.#areas.filter((_, index) => this.#parents[index] === index);
  }
}
