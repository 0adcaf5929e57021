import { type Span, spanAt } from "./moments.ts";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16] as const;
export type Speed = (typeof SPEEDS)[number];

/** Where a player stands and what it does. Times are milliseconds from the recording's start. */
export interface Playback {
  readonly positionMs: number;
  readonly durationMs: number;
  readonly speed: Speed;
  readonly isPlaying: boolean;
  readonly isSkippingIdle: boolean;
  /** The recording still grows. */
  readonly isGrowing: boolean;
  /** At the growing end: the position follows it. Never without `isGrowing`. */
  readonly isLive: boolean;
}

export type PlaybackEvent =
  | { readonly type: "toggle" }
  | { readonly type: "play" }
  | { readonly type: "pause" }
  /** To a moment; outside is the nearest end. */
  | { readonly type: "seek"; readonly toMs: number }
  | { readonly type: "move"; readonly byMs: number }
  | { readonly type: "speed"; readonly speed: Speed }
  | { readonly type: "faster"; readonly by: 1 | -1 }
  | { readonly type: "skip_idle"; readonly isOn: boolean }
  | { readonly type: "go_live" }
  /** Wall time passed. */
  | { readonly type: "tick"; readonly elapsedMs: number }
  /** The recording is as long as this now. */
  | { readonly type: "grew"; readonly durationMs: number; readonly isGrowing: boolean };

/** This far behind the growing end a live player stays: what is newer may not be written yet. */
export const LIVE_DELAY_MS = 1500;

export function startOf(durationMs: number, isGrowing: boolean): Playback {
  return {
    positionMs: 0,
    durationMs,
    speed: 1,
    isPlaying: false,
    isSkippingIdle: true,
    isGrowing,
    isLive: false,
  };
}

/** The playback after one event; `idle`: what skipping passes over. */
export function afterEvent(before: Playback, event: PlaybackEvent, idle: readonly Span[]): Playback {
  switch (event.type) {
    case "toggle":
      return afterEvent(before, { type: before.isPlaying ? "pause" : "play" }, idle);
    case "play": {
      const isAtEnd = !before.isGrowing && before.positionMs >= before.durationMs;
      return { ...before, isPlaying: true, positionMs: isAtEnd ? 0 : before.positionMs };
    }
    case "pause":
      return { ...before, isPlaying: false, isLive: false };
    case "seek":
      return { ...before, positionMs: clamp(event.toMs, before.durationMs), isLive: false };
    case "move":
      return afterEvent(before, { type: "seek", toMs: before.positionMs + event.byMs }, idle);
    case "speed":
      return { ...before, speed: event.speed, isLive: before.isLive && event.speed === 1 };
    case "faster": {
      const speed = SPEEDS[SPEEDS.indexOf(before.speed) + event.by] ?? before.speed;
      return afterEvent(before, { type: "speed", speed }, idle);
    }
    case "skip_idle":
      return { ...before, isSkippingIdle: event.isOn };
    case "go_live":
      if (!before.isGrowing) return { ...before, positionMs: before.durationMs };
      return { ...before, positionMs: edgeOf(before), isPlaying: true, isLive: true, speed: 1 };
    case "tick":
      return before.isPlaying ? afterTick(before, event.elapsedMs, idle) : before;
    case "grew": {
      const { durationMs, isGrowing } = event;
      return { ...before, durationMs, isGrowing, isLive: before.isLive && isGrowing };
    }
  }
}

function afterTick(before: Playback, elapsedMs: number, idle: readonly Span[]): Playback {
  if (before.isLive) {
    // Never backwards: a length that was said late must not rewind the picture.
    const positionMs = clamp(Math.max(before.positionMs, edgeOf(before)), before.durationMs);
    return { ...before, positionMs };
  }
  let positionMs = before.positionMs + elapsedMs * before.speed;
  const still = before.isSkippingIdle ? spanAt(idle, positionMs) : null;
  if (still) positionMs = still.toMs;
  if (before.isGrowing) {
    const edgeMs = edgeOf(before);
    return positionMs < edgeMs
      ? { ...before, positionMs }
      : { ...before, positionMs: Math.max(before.positionMs, edgeMs), isLive: true, speed: 1 };
  }
  return positionMs < before.durationMs
    ? { ...before, positionMs }
    : { ...before, positionMs: before.durationMs, isPlaying: false };
}

/** The idle span that a tick leapt over; null where it did not. */
export function passedOver(before: Playback, after: Playback, idle: readonly Span[]): Span | null {
  if (!before.isSkippingIdle || before.isLive || after.isLive) return null;
  const span = spanAt(idle, after.positionMs - 1);
  // Within a span nothing plays: whoever stands at its end has leapt there.
  return span !== null && span.toMs === after.positionMs
    ? { fromMs: before.positionMs, toMs: after.positionMs }
    : null;
}

function edgeOf({ durationMs }: Playback): number {
  return Math.max(0, durationMs - LIVE_DELAY_MS);
}

function clamp(ms: number, durationMs: number): number {
  return Math.max(0, Math.min(durationMs, ms));
}
