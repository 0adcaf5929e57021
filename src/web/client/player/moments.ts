/** Sorted lists of times, searched by halving: a recording of hours has hundreds of thousands. */

/** Index of the last time at or before `ms`; -1 where all are later. */
export function indexAt(times: ArrayLike<number>, ms: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Number.POSITIVE_INFINITY) <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The first time after `ms`; null where there is none. */
export function momentAfter(times: ArrayLike<number>, ms: number): number | null {
  return times[indexAt(times, ms) + 1] ?? null;
}

/** The last time before `ms`; null where there is none. */
export function momentBefore(times: ArrayLike<number>, ms: number): number | null {
  let index = indexAt(times, ms);
  while (index >= 0 && times[index] === ms) index--;
  return times[index] ?? null;
}

/** A stretch of a recording, half-open. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How long the picture stands still before a player passes over it. */
export const IDLE_FROM_MS = 3000;
/** What of an idle span is still shown: after the last change, and before the next. */
const LINGER_MS = 1000;
const LEAD_MS = 300;

/**
 * The spans of `within` in which nothing happened for longer than `IDLE_FROM_MS`, without what is shown at their ends.
 * `busy`: everything that a person would miss, by beginning; spans may overlap, and a moment is a span of no length.
 */
export function idleSpans(busy: readonly Span[], within: Span): readonly Span[] {
  const spans: Span[] = [];
  let lastMs = within.fromMs;
  const add = (untilMs: number): void => {
    if (untilMs - lastMs <= IDLE_FROM_MS) return;
    spans.push({ fromMs: lastMs + LINGER_MS, toMs: untilMs - LEAD_MS });
  };
  for (const { fromMs, toMs } of busy) {
    if (fromMs >= within.toMs) break;
    add(fromMs);
    lastMs = Math.max(lastMs, toMs);
  }
  add(within.toMs);
  return spans;
}

/** The span that holds `ms`; null where none does. */
export function spanAt(spans: readonly Span[], ms: number): Span | null {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.fromMs ?? Number.POSITIVE_INFINITY) <= ms) low = middle + 1;
    else high = middle;
  }
  const span = spans[low - 1];
  return span !== undefined && ms < span.toMs ? span : null;
}
