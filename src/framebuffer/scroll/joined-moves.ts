import { sourceOf, targetsOf } from "../copy-move.ts";
import type { Framebuffer } from "../framebuffer.ts";
import type { CopyMove } from "../picture.ts";
import { cellsOf, differingPart, linesOf } from "../publish.ts";
import { areaOfRect, overlapRects, type Rect } from "../rect.ts";
import { Region } from "../region.ts";
import type { Steps } from "../steps.ts";

/** Of more moves than this in one update none are joined: each is compared with all before it. */
const MOST_JOINED = 64;
/** So many pixels are painted besides, sooner than that a move is made. */
const PIXELS_OF_MOVE = 2048;

/** What of an update is moved, and what its moves bring that is not shown. */
export interface Moved {
  readonly moves: readonly CopyMove[];
  /** Of where they go: it is to be painted after them. */
  readonly rest: Region;
}

/**
 * The moves of an update, as few as they can be: without those that bring what is there already, and the others as one of
 * all their bounds where little is to be painted for it. Servers cut a scroll into several moves around what they paint
 * besides (TigerVNC 1.15, 2026-11), and in a browser each costs a copy of the whole canvas, however small it is. null
 * where the moves are not of one shift. They came before anything was painted. `before` and `after` have one size and are not
 * changed; outside of `painted` `after` shows what the moves bring. Yields after each line that it compared.
 *
 * INVARIANT: whoever shows `before`, makes these moves, then paints `rest` and what changed outside of where they went,
 * shows `after`.
 */
export function* joiningMoves(
  before: Framebuffer,
  after: Framebuffer,
  painted: Region,
  moves: readonly CopyMove[],
): Steps<Moved | null> {
  const [first] = moves;
  if (first === undefined || moves.length > MOST_JOINED || !areOfOneShift(moves)) return null;
  const [dx, dy] = [first.to.x - first.fromX, first.to.y - first.fromY];
  const needed: CopyMove[] = [];
  const needless: CopyMove[] = [];
  for (const move of moves) {
    (changesAny(before, move) ? needed : needless).push(move);
    yield;
  }
  const targets = targetsOf(needed);
  const rest: Rect[] = [];
  for (const line of linesOf(painted.intersect(targets), after.rect)) {
    for (const cell of cellsOf(line)) rest.push(...moveMisses(before, after, cell, dx, dy));
    yield;
  }
  const split = { moves: needed, rest: Region.from(rest) };
  const { bounds } = targets;
  if (needed.length < 2 || 2 * targets.area < areaOfRect(bounds)) return split;

  // One that changes nothing brings what the joined one does.
  const known = targets.union(targetsOf(needless).subtract(painted));
  const gaps = Region.of(bounds).subtract(known);
  after.complete(gaps);
  const most = PIXELS_OF_MOVE * (needed.length - 1);
  let besides = 0;
  for (const line of linesOf(gaps, after.rect)) {
    for (const cell of cellsOf(line)) {
      const [part] = moveMisses(before, after, cell, dx, dy);
      if (part === undefined) continue;
      rest.push(part);
      // What changed there is painted anyway.
      const changed = differingPart(after, before, part);
      besides += areaOfRect(part) - (changed === null ? 0 : areaOfRect(changed));
    }
    if (besides > most) return split;
    yield;
  }
  const joined = { fromX: bounds.x - dx, fromY: bounds.y - dy, to: bounds };
  return { moves: [joined], rest: Region.from(rest) };
}

/** Whether all have one shift, and none reads what another wrote before it. */
function areOfOneShift(moves: readonly CopyMove[]): boolean {
  const [first] = moves;
  if (first === undefined) return false;
  return moves.every((move, i) => {
    const source = sourceOf(move);
    const isOfShift =
      move.to.x - move.fromX === first.to.x - first.fromX &&
      move.to.y - move.fromY === first.to.y - first.fromY;
    return isOfShift && !moves.slice(0, i).some(({ to }) => overlapRects(to, source));
  });
}

function changesAny(picture: Framebuffer, { fromX, fromY, to }: CopyMove): boolean {
  const [dx, dy] = [to.x - fromX, to.y - fromY];
  for (const line of linesOf(Region.of(to), picture.rect)) {
    for (const { x, y, ...size } of cellsOf(line)) {
      if (differingPart(picture, picture, { x, y, ...size }, { x: x - dx, y: y - dy }) !== null) return true;
    }
  }
  return false;
}

/** The part of a cell that a move does not make right, if any. */
function moveMisses(before: Framebuffer, after: Framebuffer, cell: Rect, dx: number, dy: number): Rect[] {
  const part = differingPart(after, before, cell, { x: cell.x - dx, y: cell.y - dy });
  return part === null ? [] : [part];
}
