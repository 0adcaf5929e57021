import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Watcher } from "../view.ts";

/** Beyond so many rectangles a watcher's damage is kept as its bounds: what waits costs nothing. */
const MAX_RECTS = 512;

const NO_MOVES: readonly CopyMove[] = [];

/** What changed, as it is added to what watchers have pending: those in step have the same, and it is joined once. */
class Change {
  readonly painted: Region;
  readonly copies: readonly CopyMove[];
  #before: Region | null = null;
  #copiesBefore = NO_MOVES;
  #joined = Region.empty;

  constructor(painted: Region, copies: readonly CopyMove[]) {
    this.painted = painted;
    this.copies = copies;
  }

  /** Everything as pixels, with what was pending before. */
  joinedTo(painted: Region, copies: readonly CopyMove[]): Region {
    if (painted !== this.#before || copies !== this.#copiesBefore) {
      const moved = targetsOf(copies).union(targetsOf(this.copies));
      this.#before = painted;
      this.#copiesBefore = copies;
      this.#joined = painted.union(this.painted).union(moved).simplified(MAX_RECTS);
    }
    return this.#joined;
  }
}

class DamageWatcher implements Watcher {
  readonly hasOverlays: boolean;
  readonly #onDamage: () => void;
  readonly #onClose: (watcher: DamageWatcher) => void;
  #painted: Region;
  #copies = NO_MOVES;

  constructor(
    whole: Region,
    hasOverlays: boolean,
    onDamage: () => void,
    onClose: (watcher: DamageWatcher) => void,
  ) {
    this.#painted = whole;
    this.hasOverlays = hasOverlays;
    this.#onDamage = onDamage;
    this.#onClose = onClose;
  }

  get pending(): Region {
    return this.#painted.union(targetsOf(this.#copies));
  }

  take(): { readonly painted: Region; readonly copies: readonly CopyMove[] } {
    const taken = { painted: this.#painted, copies: this.#copies };
    this.#painted = Region.empty;
    this.#copies = NO_MOVES;
    return taken;
  }

  putBack(region: Region): void {
    this.#painted = this.#painted.union(region).simplified(MAX_RECTS);
  }

  close(): void {
    this.#onClose(this);
  }

  /** Moves count as moves only for one who has seen everything before them. */
  add(change: Change): void {
    if (this.#painted.isEmpty && this.#copies.length === 0) {
      this.#painted = change.painted;
      this.#copies = change.copies;
    } else {
      this.#painted = change.joinedTo(this.#painted, this.#copies);
      this.#copies = NO_MOVES;
    }
    if (!this.#painted.isEmpty || this.#copies.length > 0) this.#onDamage();
  }
}

function targetsOf(copies: readonly CopyMove[]): Region {
  return copies.length === 0 ? Region.empty : Region.from(copies.map(({ to }) => to));
}

/** All watchers of one desktop. Each has its own damage; none waits for another. */
export class Watchers {
  readonly #all = new Set<DamageWatcher>();
  readonly #onCount: () => void;

  /** `onCount` is told when one came or went. */
  constructor(onCount: () => void) {
    this.#onCount = onCount;
  }

  get count(): number {
    return this.#all.size;
  }

  /** `bounds`: what the watcher has not seen yet, the whole desktop. */
  add(bounds: Rect, hasOverlays: boolean, onDamage: () => void): Watcher {
    const watcher = new DamageWatcher(Region.of(bounds), hasOverlays, onDamage, (closed) => {
      if (this.#all.delete(closed)) this.#onCount();
    });
    this.#all.add(watcher);
    this.#onCount();
    return watcher;
  }

  /**
   * The picture changed. `overlays`: where overlays lie now; a move that touches them is no move for those who
   * see them drawn in.
   */
  update(painted: Region, copies: readonly CopyMove[], overlays: Region): void {
    const touches = copies.some(({ fromX, fromY, to }) => {
      const from = { x: fromX, y: fromY, width: to.width, height: to.height };
      return overlays.overlaps(from) || overlays.overlaps(to);
    });
    const change = new Change(painted, copies);
    const overlaid = touches ? new Change(painted.union(targetsOf(copies)), NO_MOVES) : change;
    for (const watcher of this.#all) watcher.add(watcher.hasOverlays ? overlaid : change);
  }

  /** Overlays changed: damage only for those who see them drawn in. */
  updateOverlays(damage: Region): void {
    const change = new Change(damage, NO_MOVES);
    for (const watcher of this.#all) if (watcher.hasOverlays) watcher.add(change);
  }

  /** Everything is new: another size. */
  reset(bounds: Rect): void {
    const change = new Change(Region.of(bounds), NO_MOVES);
    for (const watcher of this.#all) {
      watcher.take();
      watcher.add(change);
    }
  }
}
