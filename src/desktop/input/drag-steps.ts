import type { Point } from "../../framebuffer/rect.ts";

/** Programs hear of moves once a frame: more often tells them nothing, and a point that is wanted must last longer. */
const STEP_MS = 16;
const WAYPOINT_MS = 60;
/** Programs tell a drag from a click by the motion between. */
const STEP_PIXELS = 48;
/** Further than this from the press every program known takes it for a drag: openbox and GTK 8, Qt 10 pixels. */
const GRIP_PIXELS = 12;
/** So far before its end at most a drag rests once more: no program takes it for another place. */
const SETTLE_PIXELS = 2;
/** By default a drag takes so long, and longer where it goes further than this. */
const SHORT_MS = 250;
const SHORT_PIXELS = 1000;
const MS_A_PIXEL = 0.1;
/** As long as a caller may ask for. */
const LONGEST_MS = 10_000;

interface DragMove {
  readonly at: Point;
  /** How many points of the path are reached with it. */
  readonly points: number;
  /** It is one of the path, which programs have to see, and not one on the way to it. */
  readonly isPoint: boolean;
  readonly pauseMs: number;
}

export interface DragSteps {
  /** The first small move, on the path. */
  readonly grip: Point;
  readonly moves: readonly DragMove[];
  /** Where to rest before the last move, on the path and not at its end; null where the first small move is all. */
  readonly settle: Point | null;
}

/**
 * What a drag along a path is made of. The moves are spread evenly over `durationMs`; null: over as long as programs
 * want, with every point of the path lasting a frame or two.
 */
export function stepsOfDrag(path: readonly Point[], durationMs: number | null): DragSteps {
  const { stops, begun, ended } = stopsOf(path);
  const [start = { x: 0, y: 0 }, ...rest] = stops;
  const lengths = rest.map((to, i) => distance(stops[i] ?? start, to));
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const usualMs = SHORT_MS + Math.max(0, length - SHORT_PIXELS) * MS_A_PIXEL;
  const totalMs = durationMs ?? Math.min(LONGEST_MS, Math.max(usualMs, rest.length * WAYPOINT_MS));
  const leastMs = durationMs === null ? Math.min(WAYPOINT_MS, totalMs / rest.length) : 0;
  // What the points take at least is theirs; the rest of the time goes by the length of each stretch.
  const freeMs = totalMs - leastMs * rest.length;
  const [first = start] = rest;
  const grip = between(start, first, Math.min(0.5, GRIP_PIXELS / Math.max(1, distance(start, first))));
  let from = grip;
  const moves = rest.flatMap((to, i): DragMove[] => {
    const stretch = distance(from, to);
    const share = length === 0 ? 1 / rest.length : (lengths[i] ?? 0) / length;
    const movingMs = freeMs * share;
    const most = Math.max(1, Math.floor(stretch));
    const count = Math.min(
      most,
      Math.max(Math.ceil(movingMs / STEP_MS), Math.ceil(stretch / STEP_PIXELS), 1),
    );
    const begin = from;
    from = to;
    return Array.from({ length: count }, (_, step) => {
      const isLast = step === count - 1;
      return {
        at: between(begin, to, (step + 1) / count),
        points: begun + i + (isLast ? 1 : 0) + (isLast && i === rest.length - 1 ? ended : 0),
        isPoint: isLast && durationMs === null,
        pauseMs: movingMs / count + (isLast ? leastMs : 0),
      };
    });
  });
  const end = rest.at(-1) ?? start;
  const before = moves.at(-2)?.at ?? grip;
  const lastPixels = distance(before, end);
  const settle = lastPixels === 0 ? null : between(end, before, Math.min(1, SETTLE_PIXELS / lastPixels));
  return { grip, moves, settle };
}

/**
 * The points of a path without those that repeat its first and its last one: a drag begins and ends with a motion.
 * `begun`: how many of the path its first stop is; `ended`: how many more than one its last is.
 */
function stopsOf(path: readonly Point[]) {
  const [start] = path;
  const end = path.at(-1);
  if (start === undefined || end === undefined || path.every((at) => isSame(at, start)))
    return { stops: path, begun: 1, ended: 0 };
  const begun = path.findIndex((at) => !isSame(at, start));
  const last = path.findLastIndex((at) => !isSame(at, end)) + 1;
  return { stops: path.slice(begun - 1, last + 1), begun, ended: path.length - 1 - last };
}

function isSame(one: Point, other: Point): boolean {
  return one.x === other.x && one.y === other.y;
}

function distance(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}

function between(from: Point, to: Point, share: number): Point {
  return {
    x: Math.round(from.x + (to.x - from.x) * share),
    y: Math.round(from.y + (to.y - from.y) * share),
  };
}
