import { sourceOf, targetsOf } from "../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Change, Watcher, WatchOptions } from "../view.ts";
import { ChangeHistory, pixelsOf } from "./change-history.ts";
import { carried } from "./moves.ts";

/** Beyond so many rectangles what was given back is kept as its bounds: what waits costs nothing. */
const MAX_LEFT_RECTS = 512;

/** Those who see the same of a desktop: each is a number beside the changes that they have in common. */
class Audience {
  readonly history = new ChangeHistory();
  readonly watchers = new Set<HistoryWatcher>();

  /** Without watchers changes are not kept: a new watcher is owed the whole picture anyway. */
  add(change: Change): void {
    if (this.watchers.size === 0 || (change.painted.isEmpty && change.copies.length === 0)) return;
    this.history.add(change);
    for (const watcher of this.watchers) watcher.onDamage();
  }

  reset(bounds: Rect): void {
    if (this.watchers.size === 0) return;
    this.history.reset(bounds);
    for (const watcher of this.watchers) watcher.restart();
  }

  /** False where it was gone before. */
  remove(watcher: HistoryWatcher): boolean {
    const wasThere = this.watchers.delete(watcher);
    if (this.watchers.size === 0) this.history.forget();
    return wasThere;
  }
}

class HistoryWatcher implements Watcher {
  readonly onDamage: () => void;
  readonly isPassive: boolean;
  readonly #history: ChangeHistory;
  readonly #onClose: (watcher: HistoryWatcher) => void;
  /** The number of the last change that was taken. */
  #seen = -1;
  /** What was given back, as it lay then. */
  #left = Region.empty;

  constructor(
    history: ChangeHistory,
    isPassive: boolean,
    onDamage: () => void,
    onClose: (watcher: HistoryWatcher) => void,
  ) {
    this.isPassive = isPassive;
    this.#history = history;
    this.onDamage = onDamage;
    this.#onClose = onClose;
  }

  get pending(): Region {
    return pixelsOf(this.owed);
  }

  get owed(): Change {
    const owed = this.#history.owed(this.#seen);
    if (this.#left.isEmpty) return owed;
    return { painted: owed.copies.reduce(carried, this.#left).union(owed.painted), copies: owed.copies };
  }

  take(): Change {
    const { owed } = this;
    this.#seen = this.#history.number;
    this.#left = Region.empty;
    return owed;
  }

  putBack(region: Region): void {
    this.#left = this.#left.union(region).simplified(MAX_LEFT_RECTS);
  }

  close(): void {
    this.#onClose(this);
  }

  /** Everything is new. */
  restart(): void {
    this.#left = Region.empty;
    if (!this.pending.isEmpty) this.onDamage();
  }
}

/** All watchers of one desktop. None waits for another. */
export class Watchers {
  readonly #bare = new Audience();
  readonly #overlaid = new Audience();
  readonly #onCount: () => void;

  /** `onCount` is told when one came or went. */
  constructor(onCount: () => void) {
    this.#onCount = onCount;
  }

  /** But for the passive. */
  get count(): number {
    const all = [...this.#bare.watchers, ...this.#overlaid.watchers];
    return all.filter(({ isPassive }) => !isPassive).length;
  }

  /** `bounds`: what the watcher has not seen yet, the whole desktop. */
  add(bounds: Rect, options: WatchOptions, onDamage: () => void): Watcher {
    const { withOverlays = false, isPassive = false } = options;
    const audience = withOverlays ? this.#overlaid : this.#bare;
    const { history, watchers } = audience;
    if (watchers.size === 0 || !history.isOf(bounds)) history.reset(bounds);
    const watcher = new HistoryWatcher(history, isPassive, onDamage, (closed) => {
      if (audience.remove(closed)) this.#onCount();
    });
    watchers.add(watcher);
    this.#onCount();
    return watcher;
  }

  /**
   * The picture changed. `overlays`: where overlays lie now; a move that touches them is no move for those who
   * see them drawn in. `spread`: what they see changed where this was painted, more where something is blurred.
   */
  update(
    painted: Region,
    copies: readonly CopyMove[],
    overlays: Region,
    spread: (painted: Region) => Region = (same) => same,
  ): void {
    const change = { painted, copies };
    const touches = copies.some((move) => overlays.overlaps(sourceOf(move)) || overlays.overlaps(move.to));
    this.#bare.add(change);
    const drawn = touches ? { painted: painted.union(targetsOf(copies)), copies: [] } : change;
    this.#overlaid.add({ ...drawn, painted: spread(drawn.painted) });
  }

  /** Overlays changed: damage only for those who see them drawn in. */
  updateOverlays(damage: Region): void {
    this.#overlaid.add({ painted: damage, copies: [] });
  }

  /** Everything is new: another size. */
  reset(bounds: Rect): void {
    this.#bare.reset(bounds);
    this.#overlaid.reset(bounds);
  }
}
