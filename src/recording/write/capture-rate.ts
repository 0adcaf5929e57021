import { MAX_SIDE } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";

/** Of a minute's budget: what may be spent at once after a quiet time. */
const BURST_SHARE = 0.3;
/** And what comes evenly. The rest is for the picture that goes over, so that no minute takes more than its budget. */
const EVEN_SHARE = 0.65;
/** Of the burst: with less left, what changes all the time is recorded less often than the rest. */
const TIGHT = 0.5;
/** With more left changes are not counted. */
const PLENTY = 0.75;
/** Before anything was written: noise does not get smaller. */
const FIRST_RATIO = 1;
/** The longest that a changed screen goes unrecorded, whatever it costs. */
const MAX_WAIT_MS = 15_000;
const HOT_INTERVAL_MS = 1_000;
/** So long that noise on all of a large screen, which nothing makes smaller, stays within the default budget. */
const MAX_HOT_WAIT_MS = 30_000;
/** Of the burst, kept for what does not change all the time. */
const RESERVE = 0.4;
const CELL = 64;
/** A cell that changed so often, fading within about a second, changes all the time: twice a second is enough. */
const HOT_SCORE = 2.5;
const FADE_MS = 1_000;
const COLD_SCORE = 0.05;
/** Changes of a cell that follow each other faster are one. */
const LEAST_BEAT_MS = 80;

export interface CaptureRateLimits {
  readonly maxFps: number;
  readonly bytesPerMinute: number;
}

/**
 * How often pictures are taken: at most so many a second, and so that the written bytes stay within a budget on the
 * long run. Where the budget is tight, cells that change all the time (a video, endless scrolling) wait.
 */
export class CaptureRate {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #bytesPerMs: number;
  readonly #burst: number;
  readonly #cells = new Map<number, Cell>();
  #left: number;
  #leftAtMs: number;
  #takenAtMs = Number.NEGATIVE_INFINITY;
  #hotAtMs = Number.NEGATIVE_INFINITY;
  #isHot = false;
  /** What the last picture of cells that change all the time was charged. */
  #hotCharge = 0;
  /** For pictures that are not written yet. */
  #charged = 0;
  /** Written bytes of a raw one, lately. */
  #ratio = FIRST_RATIO;

  constructor({ maxFps, bytesPerMinute }: CaptureRateLimits, clock: Clock) {
    this.#clock = clock;
    this.#intervalMs = 1000 / maxFps;
    this.#bytesPerMs = (bytesPerMinute * EVEN_SHARE) / 60_000;
    this.#burst = bytesPerMinute * BURST_SHARE;
    this.#left = this.#burst;
    this.#leftAtMs = clock.nowMs();
  }

  /** How long until the next picture may be taken; 0: now. */
  get waitMs(): number {
    const sinceMs = this.#clock.nowMs() - this.#takenAtMs;
    const rateMs = this.#intervalMs - sinceMs;
    const budgetMs = Math.min(-this.#budget() / this.#bytesPerMs, MAX_WAIT_MS - sinceMs);
    return Math.max(0, Math.ceil(Math.max(rateMs, budgetMs)));
  }

  /**
   * How long until cells that change all the time have their turn; 0: now. They leave a reserve for the others, and
   * what one more picture of them takes: the last of a recording is whole, whatever it costs.
   */
  get hotWaitMs(): number {
    const left = this.#budget();
    const kept = Math.min(this.#burst, this.#burst * RESERVE + this.#hotCharge);
    if (left >= Math.max(this.#burst * TIGHT, kept)) return 0;
    const sinceMs = this.#clock.nowMs() - this.#hotAtMs;
    const reserveMs = Math.min((kept - left) / this.#bytesPerMs, MAX_HOT_WAIT_MS - sinceMs);
    return Math.max(0, Math.ceil(Math.max(HOT_INTERVAL_MS - sinceMs, reserveMs)));
  }

  /** Counts which cells change; nothing to do while there is plenty. */
  changed(damage: Region): void {
    if (this.#budget() >= this.#burst * PLENTY) return;
    const nowMs = this.#clock.nowMs();
    for (const [key, rect] of cellsOf(damage)) {
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, { score: 1, atMs: nowMs, rect });
      else if (nowMs - cell.atMs >= LEAST_BEAT_MS) {
        cell.score = faded(cell, nowMs) + 1;
        cell.atMs = nowMs;
      }
    }
  }

  /** The part of what changed that lies in cells which change all the time. */
  hotPart(damage: Region): Region {
    if (this.#cells.size === 0) return Region.empty;
    const nowMs = this.#clock.nowMs();
    const hot: Rect[] = [];
    for (const [key, cell] of this.#cells) {
      const score = faded(cell, nowMs);
      if (score >= HOT_SCORE) hot.push(cell.rect);
      else if (score < COLD_SCORE) this.#cells.delete(key);
    }
    return hot.length === 0 ? Region.empty : Region.from(hot).intersect(damage);
  }

  /** The screen has another size. */
  resized(): void {
    this.#cells.clear();
  }

  /** A picture is taken now. */
  began(hasHot: boolean): void {
    this.#takenAtMs = this.#clock.nowMs();
    this.#isHot = hasHot;
    if (hasHot) this.#hotAtMs = this.#takenAtMs;
  }

  /** And became so many raw bytes, which are charged by what such bytes became lately. */
  took(rawBytes: number): void {
    const charge = rawBytes * this.#ratio;
    if (this.#isHot) this.#hotCharge = charge;
    this.#left = this.#budget() - charge;
    this.#leftAtMs = this.#clock.nowMs();
    this.#charged += charge;
  }

  /** The pictures until here are written together; gives what to call with the raw bytes and what they became. */
  closedBlock(): (rawBytes: number, bytes: number) => void {
    const charged = this.#charged;
    this.#charged = 0;
    return (rawBytes, bytes) => {
      this.#left += charged - bytes;
      this.#ratio = this.#ratio * 0.5 + (bytes / Math.max(1, rawBytes)) * 0.5;
    };
  }

  #budget(): number {
    return Math.min(this.#burst, this.#left + (this.#clock.nowMs() - this.#leftAtMs) * this.#bytesPerMs);
  }
}

interface Cell {
  score: number;
  atMs: number;
  readonly rect: Rect;
}

function faded({ score, atMs }: Cell, nowMs: number): number {
  return score * Math.exp((atMs - nowMs) / FADE_MS);
}

/** The cells that a region touches, by a number of each. */
function cellsOf(damage: Region): Map<number, Rect> {
  const cells = new Map<number, Rect>();
  for (const { x, y, width, height } of damage.rects) {
    for (let row = Math.floor(y / CELL); row * CELL < y + height; row++) {
      for (let column = Math.floor(x / CELL); column * CELL < x + width; column++) {
        cells.set(row * MAX_SIDE + column, { x: column * CELL, y: row * CELL, width: CELL, height: CELL });
      }
    }
  }
  return cells;
}
