import { type Box, commonRows, heightOf } from "./cut/box.ts";

/** Boxes of lines that stand beside each other. */
type Row<Line> = readonly Line[];

/** Lines in rows, from the top, each from the left: what overlaps by half of the lower one stands in one row. */
function rowsOf<Line extends Box>(lines: readonly Line[]): Row<Line>[] {
  const rows: { box: Box; lines: Line[] }[] = [];
  for (const line of [...lines].sort((a, b) => middleOf(a) - middleOf(b) || a.left - b.left)) {
    const row = rows.at(-1);
    if (row !== undefined && commonRows(row.box, line) >= 0.5 * Math.min(heightOf(row.box), heightOf(line))) {
      row.lines.push(line);
    } else rows.push({ box: line, lines: [line] });
  }
  return rows.map((row) => row.lines.sort((a, b) => a.left - b.left));
}

export function inReadingOrder<Line extends Box>(lines: readonly Line[]): Line[] {
  return rowsOf(lines).flat();
}

const middleOf = ({ top, bottom }: Box): number => top + bottom;

/** A line of text and where it stands. */
interface PlacedText extends Box {
  readonly text: string;
}

/** Beyond so many columns a text is no layout. */
const MOST_COLUMNS = 400;
/** Blanks between lines that stand beside each other, at least: one blank parts words. */
const LEAST_BLANKS = 2;

/** Lines as plain text: rows below each other, and in them lines as far from the left as they stand. */
export function plainText(lines: readonly PlacedText[]): string {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
  const letter = letterWidth(lines);
  const written: string[] = [];
  let last: Box | null = null;
  for (const row of rowsOf(lines)) {
    const [first] = row;
    if (first === undefined) continue;
    if (last !== null && first.top - last.bottom > 1.2 * heightOf(last)) written.push("");
    last = row.reduce<Box>((all, line) => (line.bottom > all.bottom ? line : all), first);
    let text = "";
    for (const line of row) {
      const column = Math.min(MOST_COLUMNS, Math.round((line.left - left) / letter));
      const least = text === "" ? 0 : text.length + LEAST_BLANKS;
      text = text.padEnd(Math.max(least, column)) + line.text;
    }
    written.push(text);
  }
  return written.join("\n");
}

/** Of the middle one of all lines. */
function letterWidth(lines: readonly PlacedText[]): number {
  const widths = lines
    .map(({ left, right, text }) => (right - left) / Math.max(1, Array.from(text).length))
    .sort((a, b) => a - b);
  return Math.max(1, widths[widths.length >> 1] ?? 8);
}
