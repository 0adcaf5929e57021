import { coverOf } from "../../framebuffer/cover.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { findScroll, type Scroll } from "../../framebuffer/scroll/scroll.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Effect } from "../control/action.ts";
import type { BeforePicture, Difference } from "./before-picture.ts";
import type { ReactionTime } from "./reaction-time.ts";

/** An effect is over when nothing more changed for so long. */
const QUIET_MS = 40;
/**
 * There is none when nothing changed for so long after the target had its say: what a program paints 60 ms
 * after a key is mostly still had (P16 in docs/performance.md). What is painted later has a later generation.
 */
const SILENT_MS = 95;
/** The same for targets that look at their screen now and then and not when it is painted, as x11vnc does. */
const LATE_SILENT_MS = 250;
/** A desktop whose programs were late has this many times as long as they took, and so much longer at most. */
const LATENESS = 1.5;
const MOST_LATE_MS = 1400;
/** How long an action waits for the screen where its caller says nothing and its programs are not late. */
const DEFAULT_EFFECT_MS = 300;
/** Rectangles an effect names at most. */
const MAX_RECTS = 32;
/** What changed in fewer pixels than this is told sooner than it is looked through for a scroll. */
const LEAST_SCROLLED = 128 * 128;

export interface EffectSource {
  readonly generation: number;
  /** null before the first picture. */
  readonly frame: Framebuffer | null;
  /** The whole desktop. */
  readonly bounds: Rect;
  /** How long after it was painted at most it shows what changed; undefined where that is not known. */
  readonly showsWithinMs: number | undefined;
  /** Resolves when the target has had its say; rejects when it is gone. */
  barrier(): Promise<void>;
}

/** What was known of the screen when an action began. */
export interface Known {
  /** Small places that change by themselves: they are told apart from the rest. */
  readonly periodic: Region;
  /** All places that change by themselves: an action does not wait for them. Holds `periodic`. */
  readonly restless: Region;
  /** The picture as it was; null where only what is painted over is known. */
  readonly before: BeforePicture | null;
}

/**
 * Watches the screen from just before an action until it has answered.
 *
 * INVARIANT: all pixels that differ between `generationBefore` and `generationAfter` of an effect lie in its
 * `changedRects` or `periodicRects`.
 */
export class EffectWatch {
  readonly known: Known;
  readonly #source: EffectSource;
  readonly #reaction: ReactionTime;
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #generationBefore: number;
  #painted = Region.empty;
  #isResized = false;
  /** When something last changed that does not change by itself. */
  #changedAtMs: number | null = null;
  #wake: (() => void) | null = null;

  constructor(source: EffectSource, known: Known, reaction: ReactionTime, clock: Clock) {
    this.known = known;
    this.#source = source;
    this.#reaction = reaction;
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    this.#generationBefore = source.generation;
  }

  /** This is about to be painted over. */
  onPaint(region: Region): void {
    if (!this.#isResized) this.known.before?.keep(region);
  }

  onDamage(damage: Region): void {
    if (this.known.before === null) this.#painted = this.#painted.union(damage).simplified(MAX_RECTS);
    if (damage.subtract(this.known.restless).isEmpty) return;
    this.#changedAtMs = this.#clock.nowMs();
    this.#wake?.();
  }

  /** Another size: everything is new. */
  onResize(): void {
    this.#isResized = true;
    this.#changedAtMs = this.#clock.nowMs();
    this.#wake?.();
  }

  /**
   * Right after the input was sent: waits for what comes of it. `timeoutMs` undefined: as long as it takes to know;
   * a number: so long unless something comes; 0: not at all. Ends early with `signal`.
   */
  async settle(timeoutMs: number | undefined, signal: AbortSignal): Promise<Effect> {
    if (timeoutMs === 0) return this.#effect(null);
    const sentMs = this.#clock.nowMs();
    const lateMs = Math.max(0, Math.min(MOST_LATE_MS, this.#reaction.waitMs * LATENESS - SILENT_MS));
    let passedMs: number | null = null;
    this.#source.barrier().then(
      () => {
        passedMs = this.#clock.nowMs();
        this.#reaction.taken(passedMs, this.#changedAtMs !== null && this.#changedAtMs >= sentMs);
        this.#wake?.();
      },
      () => undefined, // the target is gone: then nothing is known
    );
    const wakes = (): void => this.#wake?.();
    signal.addEventListener("abort", wakes, { once: true });
    const endMs = sentMs + (timeoutMs ?? DEFAULT_EFFECT_MS + lateMs);
    for (;;) {
      const untilMs = Math.min(endMs, this.#restMs(sentMs, passedMs, timeoutMs !== undefined, lateMs));
      const leftMs = untilMs - this.#clock.nowMs();
      if (leftMs <= 0 || signal.aborted) break;
      await this.#pause(leftMs);
    }
    signal.removeEventListener("abort", wakes);
    return this.#effect(passedMs === null ? null : false);
  }

  /** When the screen will have been at rest for long enough, if nothing more comes. */
  #restMs(sentMs: number, passedMs: number | null, isPatient: boolean, lateMs: number): number {
    const changedMs = this.#changedAtMs;
    if (changedMs !== null && changedMs >= sentMs) return changedMs + QUIET_MS;
    // What changed before all was sent is not the last of it.
    if (passedMs === null || (changedMs === null && isPatient)) return Number.POSITIVE_INFINITY;
    const { showsWithinMs } = this.#source;
    const silentMs = showsWithinMs === undefined ? LATE_SILENT_MS : SILENT_MS + showsWithinMs;
    return passedMs + silentMs + lateMs;
  }

  /** Until `delayMs` are over or something happens. */
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

  /** `otherwise`: what is said where nothing differs but what does so by itself. */
  #effect(otherwise: false | null): Effect {
    const { periodic, restless } = this.known;
    const { parts, leftOut } = this.#difference(periodic.rects);
    const changedRects = coverOf(parts, MAX_RECTS);
    const isChanged = changedRects.length > 0;
    const scroll = this.#scrollIn(parts);
    const endedMs = isChanged && this.#changedAtMs !== null ? this.#changedAtMs : this.#clock.nowMs();
    return {
      changed: isChanged || otherwise,
      changedRects,
      periodicRects: leftOut,
      isMaybePeriodic: isChanged && Region.from(parts).subtract(restless).isEmpty,
      moves: scroll === null ? [] : [scroll.move],
      repaintedRects: scroll === null ? changedRects : coverOf(partsBeside(scroll, parts), MAX_RECTS),
      restlessRects: restless.rects,
      settleMs: Math.max(0, Math.round(endedMs - this.#startedMs)),
      generationBefore: this.#generationBefore,
      generationAfter: this.#source.generation,
    };
  }

  #difference(periodic: readonly Rect[]): Difference {
    const { before } = this.known;
    if (this.#isResized) return { parts: [this.#source.bounds], leftOut: [] };
    if (before !== null) return before.difference(periodic);
    const painted = this.#painted;
    return {
      parts: painted.subtract(Region.from(periodic)).rects,
      leftOut: periodic.filter((r) => painted.overlaps(r)),
    };
  }

  #scrollIn(parts: readonly Rect[]): Scroll | null {
    const { before } = this.known;
    const after = this.#source.frame;
    if (before === null || after === null || this.#isResized) return null;
    if (parts.reduce((sum, r) => sum + areaOfRect(r), 0) < LEAST_SCROLLED) return null;
    return findScroll(before.whole(), after, Region.from(parts));
  }
}

/** What a move leaves to be painted. */
function partsBeside({ move, rest }: Scroll, parts: readonly Rect[]): Rect[] {
  return Region.from(parts).subtract(Region.of(move.to)).union(rest).rects;
}
