import type { Box } from "./box.ts";

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
  return boxes.list();
}

class UnitedBoxes {
  readonly #parents: number[] = [];
  readonly #lefts: number[] = [];
  readonly #rights: number[] = [];
  readonly #tops: number[] = [];
  readonly #bottoms: number[] = [];

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

  add(left: number, right: number, y: number): number {
    this.#lefts.push(left);
    this.#rights.push(right);
    this.#tops.push(y);
    this.#bottoms.push(y + 1);
    return this.#parents.push(this.#parents.length) - 1;
  }

  extend(index: number, left: number, right: number, y: number): number {
    const root = this.rootOf(index);
    if (left < this.#lefts[root]!) this.#lefts[root] = left;
    if (right > this.#rights[root]!) this.#rights[root] = right;
    this.#bottoms[root] = y + 1;
    return root;
  }

  unite(a: number, b: number): number {
    const root = this.rootOf(a);
    const other = this.rootOf(b);
    if (root === other) return root;
    this.#parents[other] = root;
    this.#lefts[root] = Math.min(this.#lefts[root]!, this.#lefts[other]!);
    this.#rights[root] = Math.max(this.#rights[root]!, this.#rights[other]!);
    this.#tops[root] = Math.min(this.#tops[root]!, this.#tops[other]!);
    this.#bottoms[root] = Math.max(this.#bottoms[root]!, this.#bottoms[other]!);
    return root;
  }

  list(): Box[] {
    const found: Box[] = [];
    for (let i = 0; i < this.#parents.length; i++) {
      if (this.#parents[i] !== i) continue;
      found.push({
        left: this.#lefts[i]!,
        top: this.#tops[i]!,
        right: this.#rights[i]!,
        bottom: this.#bottoms[i]!,
      });
    }
    return found;
  }
}
