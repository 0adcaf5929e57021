import { MASK_WORD } from "../../../src/compositor/compose.ts";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { overlapRects, type Rect, rect } from "../../../src/framebuffer/rect.ts";

/** Pixels a side. */
const CELL = 16;
/** Clean cells that are covered longer count. */
const LONG_MS = 500;
/** What is near to private text is covered with it: the words it is in, and the soft ends of letters. */
const MARGIN = 40;

/**
 * Compares what a viewer sees under redaction with what the target itself shows, cell by cell: how late what is clean
 * comes, and what of it is covered for long.
 */
export class CoverMeter {
  readonly #area: Rect | null;
  readonly #truth: () => Framebuffer;
  readonly #seen: () => Framebuffer;
  readonly #changedAt = new Map<number, number>();
  readonly #coveredSince = new Map<number, number>();
  /** In the order in which they came. */
  readonly delays: number[] = [];
  cleanCells = 0;
  coveredCells = 0;
  lateCells = 0;

  /** `area`: all that is counted; absent: the whole picture. */
  constructor(truth: () => Framebuffer, seen: () => Framebuffer, area: Rect | null = null) {
    this.#area = area;
    this.#truth = truth;
    this.#seen = seen;
  }

  /** The target shows something else there. */
  changed(area: Rect, atMs: number): void {
    for (const cell of this.#cellsOf(area)) {
      if (!this.#isSame(cell)) this.#changedAt.set(cell, atMs);
      else if (this.#changedAt.delete(cell)) this.delays.push(0);
    }
  }

  /** The viewer sees something else there. */
  seen(area: Rect, atMs: number): void {
    for (const cell of this.#cellsOf(area)) {
      const since = this.#changedAt.get(cell);
      if (since === undefined || !this.#isSame(cell)) continue;
      this.#changedAt.delete(cell);
      this.delays.push(atMs - since);
    }
  }

  /** Counts clean cells, and those of them that are covered for long. `hidden`: where private text stands. */
  tick(hidden: readonly Rect[], atMs: number): void {
    const places = hidden.map(({ x, y, width, height }) =>
      rect(x - MARGIN, y - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN),
    );
    const [truth, seen] = [this.#truth(), this.#seen()];
    if (truth.width !== seen.width || truth.height !== seen.height) return;
    for (const cell of this.#cellsOf(this.#area ?? truth.rect)) {
      const at = this.#rectOf(cell);
      if (!this.#isCovered(at)) {
        this.#coveredSince.delete(cell);
        this.cleanCells++;
        continue;
      }
      const since = this.#coveredSince.get(cell) ?? atMs;
      this.#coveredSince.set(cell, since);
      if (places.some((place) => overlapRects(place, at))) continue;
      this.cleanCells++;
      this.coveredCells++;
      if (atMs - since > LONG_MS) this.lateCells++;
    }
  }

  /** null where nothing was looked at. */
  get lateShare(): number | null {
    return this.cleanCells === 0 ? null : this.lateCells / this.cleanCells;
  }

  /** Covered for any time, of all clean cells. */
  get coveredShare(): number | null {
    return this.cleanCells === 0 ? null : this.coveredCells / this.cleanCells;
  }

  get #columns(): number {
    return Math.ceil(this.#truth().width / CELL);
  }

  #cellsOf({ x, y, width, height }: Rect): number[] {
    const cells: number[] = [];
    const columns = this.#columns;
    for (let row = Math.floor(y / CELL); row * CELL < y + height; row++) {
      for (let column = Math.floor(x / CELL); column * CELL < x + width; column++) {
        if (row >= 0 && column >= 0 && column < columns) cells.push(row * columns + column);
      }
    }
    return cells;
  }

  #rectOf(cell: number): Rect {
    const columns = this.#columns;
    const { width, height } = this.#truth();
    const [x, y] = [(cell % columns) * CELL, Math.floor(cell / columns) * CELL];
    return rect(x, y, Math.min(CELL, width - x), Math.min(CELL, height - y));
  }

  #isSame(cell: number): boolean {
    const [a, b] = [this.#truth(), this.#seen()];
    if (a.width !== b.width) return false;
    const { x, y, width, height } = this.#rectOf(cell);
    for (let row = y; row < y + height; row++) {
      for (let at = row * a.width + x; at < row * a.width + x + width; at++)
        if (a.words[at] !== b.words[at]) return false;
    }
    return true;
  }

  /** A pixel of a mask's colour that is none of the target's. */
  #isCovered({ x, y, width, height }: Rect): boolean {
    const [truth, seen] = [this.#truth().words, this.#seen().words];
    const stride = this.#seen().width;
    for (let row = y; row < y + height; row++) {
      for (let at = row * stride + x; at < row * stride + x + width; at++)
        if (seen[at] === MASK_WORD && truth[at] !== MASK_WORD) return true;
    }
    return false;
  }
}
