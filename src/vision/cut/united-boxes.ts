import type { Box } from "./box.ts";

/** What hangs together in a picture, united run by run, row after row: boxes by number, of which those that met are one. */
export class UnitedBoxes {
  readonly #parents: number[] = [];
  // Columns: an object for each box made cutting a page of text three times slower.
  readonly #lefts: number[] = [];
  readonly #tops: number[] = [];
  readonly #rights: number[] = [];
  readonly #bottoms: number[] = [];
  readonly #pixels: number[] = [];

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

  /** A run of the row `y`, from `left` until before `right`, that is new; gives its number. */
  add(left: number, right: number, y: number): number {
    this.#lefts.push(left);
    this.#tops.push(y);
    this.#rights.push(right);
    this.#bottoms.push(y + 1);
    this.#pixels.push(right - left);
    return this.#parents.push(this.#parents.length) - 1;
  }

  /** The same of one that belongs to a box. */
  extend(index: number, left: number, right: number, y: number): number {
    const root = this.rootOf(index);
    if (left < this.#lefts[root]!) this.#lefts[root] = left;
    if (right > this.#rights[root]!) this.#rights[root] = right;
    this.#bottoms[root] = y + 1;
    this.#pixels[root]! += right - left;
    return root;
  }

  unite(a: number, b: number): number {
    const root = this.rootOf(a);
    const other = this.rootOf(b);
    if (root === other) return root;
    this.#parents[other] = root;
    this.#lefts[root] = Math.min(this.#lefts[root]!, this.#lefts[other]!);
    this.#tops[root] = Math.min(this.#tops[root]!, this.#tops[other]!);
    this.#rights[root] = Math.max(this.#rights[root]!, this.#rights[other]!);
    this.#bottoms[root] = Math.max(this.#bottoms[root]!, this.#bottoms[other]!);
    this.#pixels[root]! += this.#pixels[other]!;
    return root;
  }

  /** The numbers of those that are left: of each, the one that it began with. */
  roots(): number[] {
    const roots: number[] = [];
    for (let index = 0; index < this.count; index++) if (this.#parents[index] === index) roots.push(index);
    return roots;
  }

  box(root: number): Box {
    return {
      left: this.#lefts[root]!,
      top: this.#tops[root]!,
      right: this.#rights[root]!,
      bottom: this.#bottoms[root]!,
    };
  }

  /** How many pixels its runs have. */
  pixels(root: number): number {
    return this.#pixels[root]!;
  }
}
