import { bitCount, type Cell } from "./cells.ts";

/** Higher ink is a letter that engines know. */
const TALLEST = 5;
const TALLEST_WAVE = 4;
/** How many rows the right half of a tilde lies lower than its left: a circumflex is as high on both sides. */
const WAVE_SHIFT = 0.15;
/** Sides of a dot. */
const LARGEST_DOT = 3;

/** What engines lose or take for another: underscores, tildes, and dots, which they take for commas. Their shapes are certain. */
export function shapedLetter(cell: Cell, baseline: number, pitch: number): string | null {
  return dottedLetter(cell, baseline) ?? flatLetter(cell, baseline, pitch);
}

function flatLetter({ rows, top, bottom }: Cell, baseline: number, pitch: number): string | null {
  const height = bottom - top;
  if (height > TALLEST) return null;
  const columns = rows.reduce((all, bits) => all | bits, 0);
  const wide = widthOfBits(columns);
  if (wide < 4 || wide < height) return null;
  if (top >= baseline) return height <= 3 && rows.every((bits) => bits === columns) ? "_" : null;
  const isAbove = bottom < baseline && height >= 2 && height <= TALLEST_WAVE && !rows.includes(0);
  return isAbove && (isWideWave(rows, wide, pitch) || isWave(rows, columns, pitch)) ? "~" : null;
}

/** As wide as the cell and of rows that differ: a hyphen is a bar, and narrower. */
function isWideWave(rows: readonly number[], wide: number, pitch: number): boolean {
  const [first = 0, last = 0] = [rows[0], rows.at(-1)];
  return rows.length <= 3 && wide >= 0.8 * pitch && first !== last && bitCount(first) >= wide / 2;
}

/** The left of it is high and the right low, and its ends turn back. */
function isWave(rows: readonly number[], columns: number, pitch: number): boolean {
  const [first = 0, last = 0] = [rows[0], rows.at(-1)];
  const wide = widthOfBits(columns);
  if (wide < 0.6 * pitch || (!isParted(first) && !isParted(last))) return false;
  // Bits of the left are the higher ones.
  const right = (1 << ((wide >> 1) + 31 - Math.clz32(columns & -columns))) - 1;
  return middleRow(rows, right) - middleRow(rows, ~right) >= WAVE_SHIFT;
}

/** A full stop and a colon: dots that end on the baseline, where commas go on. */
function dottedLetter({ rows, bottom }: Cell, baseline: number): string | null {
  if (bottom !== baseline) return null;
  const dots: number[][] = [];
  rows.forEach((bits, index) => {
    if (bits === 0) return;
    if (index === 0 || rows[index - 1] === 0) dots.push([]);
    dots.at(-1)?.push(bits);
  });
  const blank = rows.filter((bits) => bits === 0).length;
  const areDots = dots.every(
    (dot) =>
      dot.length <= LARGEST_DOT &&
      widthOfBits(dot[0] ?? 0) <= LARGEST_DOT &&
      !isParted(dot[0] ?? 0) &&
      dot.every((bits) => bits === dots[0]?.[0]),
  );
  if (!areDots || dots.length > 2) return null;
  if (dots.length === 1) return ".";
  return blank >= 2 && dots[0]?.length === dots[1]?.length ? ":" : null;
}

/** Columns from the first to the last with ink. */
const widthOfBits = (bits: number): number => 32 - Math.clz32(bits) - (31 - Math.clz32(bits & -bits));

/** Whether there is a gap in a row. */
const isParted = (bits: number): boolean => bitCount(bits) < widthOfBits(bits);

/** The mean row of the ink in some columns. */
function middleRow(rows: readonly number[], columns: number): number {
  let [sum, count] = [0, 0];
  rows.forEach((bits, row) => {
    const ink = bitCount(bits & columns);
    sum += row * ink;
    count += ink;
  });
  return sum / Math.max(1, count);
}
