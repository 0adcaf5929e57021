import { ChangeGrid } from "../../framebuffer/change-grid.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Change } from "../view.ts";
import { composeChanges } from "./moves.ts";

/** The last changes, kept as they were: who is further behind is owed whole cells. */
const MAX_RECENT = 32;
/** What is owed in more rectangles or moves than this is told in cells: what waits costs bounded memory and time. */
const MAX_RECTS = 256;
const MAX_MOVES = 32;
/** As many numbers for which it is known what is owed since. */
const MAX_KNOWN = 64;

const NO_SIZE: Size = Object.freeze({ width: 0, height: 0 });
/** Of no cells: never marked. */
const NO_GRID = new ChangeGrid();
const NO_MOVES: readonly CopyMove[] = [];
const NOTHING: Change = { painted: Region.empty, copies: NO_MOVES };

/** What changed on a desktop, by number, as all who see the same of it see it. What one is owed follows from a number. */
export class ChangeHistory {
  #number = 0;
  #size = NO_SIZE;
  #grid = NO_GRID;
  /** Up to `#number`, oldest first. */
  #recent: Change[] = [];
  /** What is owed since a number, up to another; least used first. */
  readonly #owed = new Map<number, { readonly upTo: number; readonly change: Change }>();

  /** Of the last change. */
  get number(): number {
    return this.#number;
  }

  isOf({ width, height }: Size): boolean {
    return this.#size.width === width && this.#size.height === height;
  }

  /** Everything is new. */
  reset({ width, height }: Size): void {
    this.#number++;
    this.#size = { width, height };
    this.#recent = [];
    this.#owed.clear();
    this.#grid = new ChangeGrid();
    this.#grid.reset(this.#size, this.#number);
  }

  /** Nobody looks: nothing is kept until the next `reset`. */
  forget(): void {
    this.#size = NO_SIZE;
    this.#recent = [];
    this.#owed.clear();
    this.#grid = NO_GRID;
  }

  add(change: Change): void {
    this.#number++;
    this.#recent.push(change);
    if (this.#recent.length > MAX_RECENT) this.#recent.shift();
    this.#grid.mark(change.painted.rects, this.#number);
    this.#grid.mark(
      change.copies.map(({ to }) => to),
      this.#number,
    );
  }

  /** What is owed to one who saw everything up to a change: the same object to all who did. */
  owed(seen: number): Change {
    if (seen >= this.#number) return NOTHING;
    const known = this.#owed.get(seen);
    if (known?.upTo === this.#number) return known.change;
    const change = this.#since(seen, known?.upTo ?? seen, known?.change ?? NOTHING);
    this.#owed.delete(seen);
    this.#owed.set(seen, { upTo: this.#number, change });
    for (const [oldest] of this.#owed) {
      if (this.#owed.size <= MAX_KNOWN) break;
      this.#owed.delete(oldest);
    }
    return change;
  }

  /** `before`: what is owed up to the change with number `upTo`. */
  #since(seen: number, upTo: number, before: Change): Change {
    const missing = this.#number - upTo;
    if (missing > this.#recent.length) return this.#cells(seen);
    const change = this.#recent.slice(-missing).reduce(composeChanges, before);
    const isMuch = change.painted.rectCount > MAX_RECTS || change.copies.length > MAX_MOVES;
    return isMuch ? this.#cells(seen) : change;
  }

  #cells(seen: number): Change {
    return { painted: this.#grid.since(seen), copies: NO_MOVES };
  }
}

/** All of a change as pixels. */
export function pixelsOf({ painted, copies }: Change): Region {
  return painted.union(targetsOf(copies));
}
