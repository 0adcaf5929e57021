import { MAX_SIDE as MAX_PICTURE_SIDE } from "../../framebuffer/framebuffer.ts";
import { CELL } from "../../framebuffer/publish.ts";
import {
  areaOfRect,
  boundRects,
  EMPTY_RECT,
  holdsRect,
  intersectRects,
  type Rect,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";

/** Paints of one place within this time are one change. */
const SAME_MS = 20;
/** Changes at steady intervals prove a rhythm once they span this time … */
const PROVEN_MS = 900;
/** … and there are so many; where two alternate (a caret shown longer than hidden) one more. */
const LEAST_INTERVALS = 3;
/** Intervals are the same when they differ by at most this time, or this share. */
const JITTER_MS = 60;
const JITTER_SHARE = 0.3;
/** A rhythm has ended when nothing changed for this many intervals, and a little time for a target that is slow. */
const MISSED_INTERVALS = 1.5;
const SLOW_MS = 250;
/** The largest side of what may be left out of an effect: a caret, a clock's seconds, a small spinner. */
const MAX_SIDE = 32;
/** What a place showed longer ago than one to two times so many changes does not count. */
const WINDOW = 32;
/** Where more cells than this change by themselves, none of it is small. */
const MOST_CELLS = 64;

/** The only change of some cells so far. Most cells of a large change have no other: this one object is all that they keep. */
interface Once {
  /** Of all these cells. */
  readonly rect: Rect;
  readonly atMs: number;
}

/** The changes of one cell of the grid. */
interface Beat {
  /** All that changed there in the last changes of the rhythm; the one before its first interval does not count. */
  rect: Rect;
  /** The same of the WINDOW changes before those. */
  olderRect: Rect;
  /** Changes that `rect` holds. */
  count: number;
  sinceMs: number;
  lastMs: number;
  /** The last intervals, the newest last; at most LEAST_INTERVALS + 1. */
  readonly intervals: number[];
}

/**
 * What changes when nobody acts, and in which rhythm: the measure of what an action did not cause. A window that opens
 * or a page that loads changes often, but at no steady intervals.
 */
export class DamageHistory {
  /** By keyOf. */
  readonly #beats = new Map<number, Once | Beat>();

  /** Something changed that no action caused. */
  add(damage: Region, atMs: number): void {
    for (const r of damage.rects) {
      const once: Once = { rect: r, atMs };
      for (let top = floor(r.y); top < r.y + r.height; top += CELL) {
        for (let left = floor(r.x); left < r.x + r.width; left += CELL) {
          const key = keyOf(left, top);
          const before = this.#beats.get(key);
          if (before === undefined) this.#beats.set(key, once);
          else this.#beat(key, before, within(left, top, r), atMs);
        }
      }
    }
  }

  /** The picture has another size: nothing is where it was. */
  clear(): void {
    this.#beats.clear();
  }

  /** Small places that are proven to change by themselves, and are about to again. */
  periodic(nowMs: number): Region {
    const rects = this.#steady(nowMs);
    if (rects.length > MOST_CELLS) return Region.empty;
    return Region.from(
      groupsOf(rects).filter(({ width, height }) => width <= MAX_SIDE && height <= MAX_SIDE),
    );
  }

  /** All places that are proven to change by themselves, of any size. */
  restless(nowMs: number): Region {
    return Region.from(this.#steady(nowMs));
  }

  #steady(nowMs: number): Rect[] {
    const rects: Rect[] = [];
    for (const [key, beat] of this.#beats) {
      if (hasEnded(beat, nowMs)) this.#beats.delete(key);
      else if ("intervals" in beat && isProven(beat)) rects.push(boundRects(beat.rect, beat.olderRect));
    }
    return rects;
  }

  #beat(key: number, before: Once | Beat, rect: Rect, atMs: number): void {
    const beat = "intervals" in before ? before : beatOf(key, before);
    if (beat !== before) this.#beats.set(key, beat);
    const interval = atMs - beat.lastMs;
    if (interval < SAME_MS) {
      if (!holdsRect(beat.rect, rect)) beat.rect = boundRects(beat.rect, rect);
      return;
    }
    const { intervals } = beat;
    // Of two that alternate the one before the last is the measure; of two that are the same it is as good.
    const measure = intervals.at(-2);
    const isSteady = measure === undefined || areAlike(measure, interval);
    if (!isSteady) beat.sinceMs = beat.lastMs;
    const isFirst = !isSteady || intervals.length === 0;
    const isFull = beat.count === WINDOW;
    if (isFirst || isFull) beat.olderRect = isFirst ? EMPTY_RECT : beat.rect;
    beat.rect = isFirst || isFull ? rect : boundRects(beat.rect, rect);
    beat.count = isFirst || isFull ? 1 : beat.count + 1;
    if (!isSteady) intervals.length = 0;
    else if (intervals.length > LEAST_INTERVALS) intervals.shift();
    intervals.push(interval);
    beat.lastMs = atMs;
  }
}

function isProven({ intervals, sinceMs, lastMs }: Beat): boolean {
  if (lastMs - sinceMs < PROVEN_MS || intervals.length < LEAST_INTERVALS) return false;
  const isEven = areAlike(Math.min(...intervals), Math.max(...intervals));
  return isEven || intervals.length > LEAST_INTERVALS;
}

function hasEnded(beat: Once | Beat, nowMs: number): boolean {
  const isOnce = !("intervals" in beat);
  const longest = isOnce ? PROVEN_MS : Math.max(PROVEN_MS, ...beat.intervals);
  return nowMs - (isOnce ? beat.atMs : beat.lastMs) > longest * MISSED_INTERVALS + SLOW_MS;
}

/** A cell that changed once until now. */
function beatOf(key: number, { rect, atMs }: Once): Beat {
  const left = key % MAX_PICTURE_SIDE;
  const own = within(left, (key - left) / MAX_PICTURE_SIDE, rect);
  return { rect: own, olderRect: EMPTY_RECT, count: 1, sinceMs: atMs, lastMs: atMs, intervals: [] };
}

/** What of a rectangle lies in a cell. */
function within(left: number, top: number, r: Rect): Rect {
  return intersectRects({ x: left, y: top, width: CELL, height: CELL }, r);
}

function areAlike(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(JITTER_MS, JITTER_SHARE * Math.max(a, b));
}

/** Of the cell whose top left pixel this is. */
function keyOf(left: number, top: number): number {
  return top * MAX_PICTURE_SIDE + left;
}

function floor(at: number): number {
  return Math.floor(at / CELL) * CELL;
}

/** The bounds of those that touch each other: a caret may lie across a border of the grid. */
function groupsOf(rects: readonly Rect[]): Rect[] {
  const groups: Rect[] = [];
  for (const rect of rects) {
    let group = rect;
    for (let i = groups.length - 1; i >= 0; i--) {
      const other = groups[i];
      if (other === undefined || !touches(group, other)) continue;
      group = boundRects(group, other);
      groups.splice(i, 1);
      i = groups.length;
    }
    groups.push(group);
  }
  return groups;
}

function touches(a: Rect, b: Rect): boolean {
  const grown = { x: a.x - 1, y: a.y - 1, width: a.width + 2, height: a.height + 2 };
  return areaOfRect(intersectRects(grown, b)) > 0;
}
