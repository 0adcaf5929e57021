import type { Box } from "./box.ts";
import { UnitedBoxes } from "./united-boxes.ts";

/** Beyond so many a picture is noise and no text; what is above them is still cut. */
const MOST_COMPONENTS = 60_000;

/**
 * Boxes of connected ink (8 neighbours) in rows of a mask, in which 0 is ink; united run by run, row after row.
 */
export function connectedInk(mask: Uint8Array, width: number, top: number, bottom: number): Box[] {
  const boxes = new UnitedBoxes();
  let above: number[] = [];
  for (let y = top; y < bottom && boxes.count < MOST_COMPONENTS; y++) {
    const row = y * width;
    // Of three numbers each: first pixel, pixel after the last, box.
    const runs: number[] = [];
    let from = 0;
    for (let x = 0; x < width; x++) {
      if (mask[row + x] !== 0) continue;
      const start = x;
      while (x < width && mask[row + x] === 0) x++;
      let box = -1;
      while (from < above.length && above[from + 1]! < start) from += 3;
      for (let k = from; k < above.length && above[k]! <= x; k += 3) {
        box = box < 0 ? boxes.rootOf(above[k + 2]!) : boxes.unite(box, above[k + 2]!);
      }
      box = box < 0 ? boxes.add(start, x, y) : boxes.extend(box, start, x, y);
      runs.push(start, x, box);
    }
    above = runs;
  }
  return boxes.roots().map((root) => boxes.box(root));
}
