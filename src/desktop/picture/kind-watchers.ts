import type { Region } from "../../framebuffer/region.ts";
import type { Audience, Change, Watcher, WatchOptions } from "../view.ts";

/** Watches the picture of a kind, of which all is owed at first. */
type Watch = (kind: Audience, options: WatchOptions, onDamage: () => void) => Watcher;

/** Watchers of those who share a picture with others for as long as the same is hidden from them. */
export class KindWatchers {
  readonly #watch: Watch;
  readonly #all = new Set<KindWatcher>();

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  /** `kindNow`: whose picture it is. */
  add(kindNow: () => Audience, options: WatchOptions, onDamage: () => void): Watcher {
    const watcher = new KindWatcher(
      kindNow,
      (kind) => this.#watch(kind, options, onDamage),
      onDamage,
      () => this.#all.delete(watcher),
    );
    this.#all.add(watcher);
    return watcher;
  }

  /** What is hidden from whom may be divided otherwise: who has another picture now is owed all of it, and told. */
  turn(): void {
    for (const watcher of [...this.#all]) watcher.turn();
  }
}

/** INVARIANT: what it hands out was owed by the picture that its owner has at that moment. */
class KindWatcher implements Watcher {
  readonly #kindNow: () => Audience;
  readonly #watch: (kind: Audience) => Watcher;
  readonly #onDamage: () => void;
  readonly #onClose: () => void;
  #kind: Audience;
  #watcher: Watcher;

  constructor(
    kindNow: () => Audience,
    watch: (kind: Audience) => Watcher,
    onDamage: () => void,
    onClose: () => void,
  ) {
    this.#kindNow = kindNow;
    this.#watch = watch;
    this.#onDamage = onDamage;
    this.#onClose = onClose;
    this.#kind = kindNow();
    this.#watcher = watch(this.#kind);
  }

  get pending(): Region {
    return this.#now.pending;
  }

  get owed(): Change {
    return this.#now.owed;
  }

  take(): Change {
    return this.#now.take();
  }

  putBack(region: Region): void {
    this.#now.putBack(region);
  }

  close(): void {
    this.#onClose();
    this.#watcher.close();
  }

  turn(): void {
    if (this.#kindNow() === this.#kind) return;
    const before = this.#watcher;
    this.#kind = this.#kindNow();
    this.#watcher = this.#watch(this.#kind);
    before.close();
    this.#onDamage();
  }

  get #now(): Watcher {
    this.turn();
    return this.#watcher;
  }
}
