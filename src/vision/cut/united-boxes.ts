import type { Box } from "./box.ts";

interface Growing {
  left: number;
  top: number;
  right: number;
  bottom: number;
  pixels: number;
}

/** What hangs together in a picture, united run by run, row after row: boxes by number, of which those that met are one. */
export class UnitedBoxes {
  readonly #parents: number[] = [];
  readonly #boxes: Growing[] = [];

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
    this.#boxes.push({ left, top: y, right, bottom: y + 1, pixels: right - left });
    return this.#parents.push(this.#parents.length) - 1;
  }

  /** The same of one that belongs to a box. */
  extend(index: number, left: number, right: number, y: number): number {
    const root = this.rootOf(index);
    const box = this.#boxes[root]!;
    if (left < box.left) box.left = left;
    if (right > box.right) box.right = right;
    box.bottom = y + 1;
    box.pixels += right - left;
    return root;
  }

  unite(a: number, b: number): number {
    const root = this.rootOf(a);
    const other = this.rootOf(b);
    if (root === other) return root;
    this.#parents[other] = root;
    const [to, from] = [this.#boxes[root]!, this.#boxes[other]!];
    to.left = Math.min(to.left, from.left);
    to.top = Math.min(to.top, from.top);
    to.right = Math.max(to.right, from.right);
    to.bottom = Math.max(to.bottom, from.bottom);
    to.pixels += from.pixels;
    return root;
  }

  /** Those that are left, with how many pixels their runs have, and the numbers of their first ones. */
  list(): (Box & { readonly pixels: number; readonly index: number })[] {
    return this.#boxes.flatMap((box, index) => (this.#parents[index] === index ? { ...box, index } : []));
  }
}
