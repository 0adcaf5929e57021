import type { Box } from "../cut/box.ts";
import { isNear, type PixelPicture } from "../cut/pixel-picture.ts";
import { UnitedBoxes } from "../cut/united-boxes.ts";

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
  const areas = new UnitedBoxes();
  const colours: number[] = [];
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
        if (area < 0) {
          area = areas.add(start, x, y);
          colours.push(words[row + start]!);
        } else area = areas.extend(area, start, x, y);
        runs.push(start, x, area);
      }
      start = x;
    }
    above = runs;
  }
  return areas
    .roots()
    .map((root) => ({ ...areas.box(root), pixels: areas.pixels(root), colour: colours[root]! }));
}
