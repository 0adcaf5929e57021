import { type Box, commonRows, heightOf, widthOf } from "../cut/box.ts";
import { isUnsure } from "../private/unsure.ts";
import type { Reading } from "../text/line-cache.ts";

/** A line as far as it was read. */
export interface SaidLine extends Box {
  readonly hash: string;
  /** null: nothing of it yet. */
  readonly said: Reading | null;
}

/** A pointer parts a line in pieces, which stand no farther apart than it is wide, and what lies beside it. */
const POINTER_WIDTH = 48;
/** What is longer than high, and says nothing, may be lines that a pointer joins. */
const LONG = 1.5;

/**
 * Of which lines nobody knows what they say while a pointer may be drawn on any: those that were read with doubt, or as
 * nothing, and what stands in one row with these. `isClear`: no pointer lies on it, for it looked so without one.
 */
export function doubtedLines(
  lines: readonly SaidLine[],
  isClear: (hash: string) => boolean,
): ReadonlySet<SaidLine> {
  const maybe = lines.filter(({ hash }) => !isClear(hash));
  const doubted = new Set(maybe.filter(isDoubted));
  const rows = inRows(maybe);
  // What is added is looked at as well.
  for (const line of doubted) {
    for (const row of rowsOf(line))
      for (const other of rows.get(row) ?? []) if (isBeside(line, other)) doubted.add(other);
  }
  return doubted;
}

/** Rows of one bucket of the search, as a shift. */
const BUCKET = 5;

function* rowsOf({ top, bottom }: Box): Generator<number> {
  for (let row = top >> BUCKET; row <= (bottom - 1) >> BUCKET; row++) yield row;
}

function inRows(lines: readonly SaidLine[]): ReadonlyMap<number, readonly SaidLine[]> {
  const rows = new Map<number, SaidLine[]>();
  for (const line of lines) {
    for (const row of rowsOf(line)) {
      const others = rows.get(row);
      if (others === undefined) rows.set(row, [line]);
      else others.push(line);
    }
  }
  return rows;
}

function isDoubted({ said, ...box }: SaidLine): boolean {
  if (said === null) return false;
  return said.words.length === 0 ? widthOf(box) >= LONG * heightOf(box) : isUnsure(said);
}

/** Whether two are pieces of one row, next to each other. */
function isBeside(a: Box, b: Box): boolean {
  const gap = Math.max(a.left, b.left) - Math.min(a.right, b.right);
  return gap <= POINTER_WIDTH && 2 * commonRows(a, b) >= Math.min(heightOf(a), heightOf(b));
}
