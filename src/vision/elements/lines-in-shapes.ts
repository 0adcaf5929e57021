import { type Box, commonRows, heightOf, widthOf } from "../cut/box.ts";
import type { Shape } from "./shapes.ts";

/** A line with something to read. */
export interface TextBox extends Box {
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** In their order. */
  readonly words: readonly { readonly text: string; readonly left: number }[];
}

/** What a picture shows besides lines: `mask` 0 where there is ink, `width` pixels a row. */
interface Ink {
  readonly mask: Uint8Array;
  readonly width: number;
}

/** Frames and rounded corners of buttons are ink, too. */
const RIM = 3;

/** What reaches less far into a shape is its side and its neighbour's, cut together. */
const LEAST_COMMON = 12;

/** Lines, and of those that run over several shapes, as over buttons side by side, the part within each, and the rest. */
export function partedByShapes(
  lines: readonly TextBox[],
  shapes: readonly Shape[],
  ink: Ink,
): readonly TextBox[] {
  return lines.flatMap((line) => {
    const crossed = shapes.filter((shape) => isCrossed(line, shape));
    if (crossed.length === 0) return [line];
    const parts = new Map<Shape | null, TextBox["words"][number][]>();
    for (const word of line.words) {
      const around = crossed.filter(({ left, right }) => word.left >= left - 1 && word.left < right);
      const shape = around.reduce<Shape | null>(
        (least, one) => (least === null || widthOf(one) < widthOf(least) ? one : least),
        null,
      );
      parts.set(shape, [...(parts.get(shape) ?? []), word]);
    }
    return [...parts]
      .map(([shape, words]) => partOf(line, shape, words, ink))
      .filter((part) => part.text.length > 1 || widthOf(part) >= LEAST_COMMON);
  });
}

/** A shape that is about as high as the line, and has an end of its own within it. */
function isCrossed(line: Box, shape: Shape): boolean {
  const isOfRow =
    commonRows(line, shape) >= 0.8 * Math.min(heightOf(line), heightOf(shape)) &&
    heightOf(shape) >= 0.8 * heightOf(line) &&
    widthOf(shape) > heightOf(line);
  const isWithin = line.left >= shape.left - RIM && line.right <= shape.right + RIM;
  const common = Math.min(line.right, shape.right) - Math.max(line.left, shape.left);
  return isOfRow && !isWithin && common >= Math.max(LEAST_COMMON, heightOf(line) / 2);
}

function partOf(line: TextBox, shape: Shape | null, words: TextBox["words"], { mask, width }: Ink): TextBox {
  const [first] = words;
  const text = words.map((word) => word.text).join(" ");
  const left = Math.max(first?.left ?? line.left, line.left);
  if (shape === null) {
    const right = Math.min(
      line.right,
      ...line.words.flatMap((word) => (word.left > left && !words.includes(word) ? word.left - 1 : [])),
    );
    return { ...line, words, text, left, right };
  }
  const [top, bottom] = [Math.max(line.top, shape.top + RIM), Math.min(line.bottom, shape.bottom - RIM)];
  let right = left + 1;
  for (let x = left; x < Math.min(line.right, shape.right - RIM); x++) {
    for (let y = top; y < bottom; y++) if (mask[y * width + x] === 0) right = x + 1;
  }
  return { ...line, words, text, left, right, top, bottom };
}

/** What is to be read in a shape: neither its sides, cut as letters, nor the arrow of a list. */
export function linesOf(shape: Shape, inside: readonly TextBox[]): readonly TextBox[] {
  return withoutArrow(shape, withoutSides(shape, inside));
}

function withoutSides(shape: Shape, inside: readonly TextBox[]): readonly TextBox[] {
  if (inside.length < 2) return inside;
  const reach = shape.isRound ? 0.6 * heightOf(shape) : 0;
  const between = inside.filter(
    ({ left, right }) =>
      left >= shape.left + RIM &&
      right <= shape.right &&
      right > shape.left + reach &&
      left < shape.right - Math.max(reach, RIM),
  );
  return between.length === 0 ? inside : between;
}

/** The line of what is chosen from a list, without the arrow at the end of its field; others as they are. */
function withoutArrow(shape: Shape, inside: readonly TextBox[]): readonly TextBox[] {
  const [line, arrow, ...more] = [...inside].sort((a, b) => a.left - b.left);
  const isFar = (left: number): boolean =>
    widthOf(shape) >= 4 * heightOf(shape) && left >= shape.right - 1.2 * heightOf(shape);
  if (line === undefined || more.length > 0) return inside;
  if (arrow !== undefined) return arrow.text.length <= 2 && isFar(arrow.left) ? [line] : inside;
  const last = line.words.at(-1);
  const words = line.words.slice(0, -1);
  if (words.length === 0 || last === undefined || last.text.length > 1 || !isFar(last.left)) return inside;
  // Where its last word ends is not known; that there is room behind it is.
  return [
    { ...line, words, text: words.map(({ text }) => text).join(" "), right: last.left - heightOf(line) },
  ];
}
