import type { Rect } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { Effect } from "./action.ts";
import type { Clock } from "./clock.ts";

/** The screen has settled when nothing more changed for so long. */
const QUIET_MS = 40;
/** What changed on its own within this time before an action … */
const PERIODIC_WINDOW_MS = 5000;
/** … at least so often … */
const PERIODIC_TIMES = 2;
/** … and at least so far apart is periodic: a clock, a caret. */
const PERIODIC_APART_MS = 150;
const MAX_HISTORY = 64;
/** Rectangles an effect names at most; more become their bounds. */
const MAX_RECTS = 32;

interface Past {
  readonly damage: Region;
  readonly atMs: number;
}

/** What changed when nobody acted: the measure of what an action did not cause. */
export class DamageHistory {
  #past: Past[] = [];

  add(damage: Region, atMs: number): void {
    const last = this.#past.at(-1);
    if (last !== undefined && atMs - last.atMs < PERIODIC_APART_MS) {
      this.#past[this.#past.length - 1] = { damage: last.damage.union(damage), atMs: last.atMs };
      return;
    }
    this.#past.push({ damage, atMs });
    if (this.#past.length > MAX_HISTORY) this.#past.shift();
  }

  /** What changed on its own again and again before `nowMs`. */
  periodic(nowMs: number): Region {
    this.#past = this.#past.filter(({ atMs }) => nowMs - atMs < PERIODIC_WINDOW_MS);
    let once = Region.empty;
    let often = Region.empty;
    for (const { damage } of this.#past) {
      often = often.union(once.intersect(damage));
      once = once.union(damage);
    }
    return this.#past.length < PERIODIC_TIMES ? Region.empty : often;
  }
}

export interface EffectSource {
  readonly generation: number;
  /** Resolves when the target has had its say; rejects when it is gone. */
  barrier(): Promise<void>;
}

/** Watches the screen from just before an action until it has answered or `timeoutMs` are over. */
export class EffectWatch {
  readonly #source: EffectSource;
  readonly #clock: Clock;
  readonly #periodic: Region;
  readonly #startedMs: number;
  readonly #generationBefore: number;
  #changed = Region.empty;
  #changedAtMs = 0;
  #wake: (() => void) | null = null;

  constructor(source: EffectSource, history: DamageHistory, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    this.#periodic = history.periodic(this.#startedMs);
    this.#generationBefore = source.generation;
  }

  onDamage(damage: Region): void {
    const caused = damage.subtract(this.#periodic);
    if (caused.isEmpty) return;
    this.#changed = this.#changed.union(caused).simplified(MAX_RECTS);
    this.#changedAtMs = this.#clock.nowMs();
    this.#wake?.();
  }

  /** Right after the input was sent. 0 does not wait at all. */
  async settle(timeoutMs: number): Promise<Effect> {
    if (timeoutMs === 0) return this.#effect(null);
    let hasPassed = false;
    this.#source.barrier().then(
      () => {
        hasPassed = true;
      },
      () => undefined, // the target is gone: then nothing is known
    );
    const sentMs = this.#clock.nowMs();
    for (;;) {
      const nowMs = this.#clock.nowMs();
      const left = sentMs + timeoutMs - nowMs;
      const quiet = this.#changed.isEmpty ? left : Math.min(left, this.#changedAtMs + QUIET_MS - nowMs);
      if (quiet <= 0) break;
      await this.#pause(quiet);
    }
    if (!this.#changed.isEmpty) return this.#effect(true);
    return this.#effect(hasPassed ? false : null);
  }

  /** Until `delayMs` are over or the screen changes. */
  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#wake = null;
        resolve();
      };
      const cancel = this.#clock.after(delayMs, done);
      this.#wake = done;
    });
  }

  #effect(changed: boolean | null): Effect {
    const endedMs = changed === true ? this.#changedAtMs : this.#clock.nowMs();
    const changedRects: readonly Rect[] = this.#changed.rects;
    return {
      changed,
      changedRects,
      settleMs: Math.max(0, Math.round(endedMs - this.#startedMs)),
      generationBefore: this.#generationBefore,
      generationAfter: this.#source.generation,
    };
  }
}
