import { type Box, boxesOverlap, commonRows, heightOf, joinBoxes, widthOf } from "../cut/box.ts";
import { connectedInk } from "../cut/components.ts";
import { isNear, type PixelPicture } from "../cut/pixel-picture.ts";
import type { ElementKind } from "./element.ts";
import { linesOf, partedByShapes, type TextBox } from "./lines-in-shapes.ts";
import { findShapes, type Shape } from "./shapes.ts";

/** A line of the picture; `text` null: nothing to be read, as an icon. */
export interface PlacedLine extends Box {
  readonly text: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** In their order. */
  readonly words: readonly { readonly text: string; readonly left: number }[];
}

/** An element without a name yet. */
export interface FoundElement {
  readonly kind: ElementKind;
  readonly label: string | null;
  readonly box: Box;
  readonly score: number;
  /** A line outside of it that it belongs to: what tells it from others that look the same. */
  readonly beside: Box | null;
}

const TALLEST_BUTTON = 64;
const LARGEST_CHECK_BOX = 32;
/** Of a switch; and how much of it its knob takes. */
const TALLEST_SWITCH = 56;
const LEAST_KNOB = 0.45;
const SMALLEST_ICON = 10;
const LARGEST_ICON = 64;
const MOST_ICONS = 300;
/** Parts of one icon lie no further apart. */
const ICON_GAP = 3;
/** How far the line may be that a check box or a field belongs to. */
const FAR = 640;
const LABEL_GAP = 24;
/** A check box stands close to its label, or as far as it is wide where all is large. */
const CHECK_BOX_GAP = 14;

/** Lines and shapes of a picture, joined. `mask`: 0 where there is ink. */
export function findElements(
  picture: PixelPicture,
  mask: Uint8Array,
  lines: readonly PlacedLine[],
): FoundElement[] {
  const whole = lines.flatMap((line) => (line.text === null ? [] : [{ ...line, text: line.text }]));
  const all = findShapes(picture);
  const shapes = all.filter((shape) => !whole.some((line) => isLetterOf(line, shape)));
  const ink = { mask, width: picture.width };
  const texts = partedByShapes(
    whole.map((line) => withoutBox(line, shapes)),
    shapes,
    ink,
  );
  const owned = new Map<Shape, TextBox[]>();
  for (const line of texts) {
    const owner = smallestAround(shapes, line);
    if (owner !== null) owned.set(owner, [...(owned.get(owner) ?? []), line]);
  }
  const cells = cellsOf(shapes);
  const found: FoundElement[] = [];
  const labels = new Set<TextBox>();
  const unread = lines.filter(({ text }) => text === null);
  for (const shape of shapes) {
    const inside = owned.get(shape) ?? [];
    const isBlank =
      isSwitch(shape, all) || (inside.length === 0 && !unread.some((line) => isInside(line, shape)));
    const element = isBlank ? blankShape(shape, texts) : labelledShape(shape, inside, texts, cells);
    if (element === null) continue;
    found.push(element);
    // What stands in a field is not its name; lines of a row may be pressed each for itself.
    const isOwnLabel = inside.length === 1 ? element.label === inside[0]?.text : element.kind !== "row";
    if (isOwnLabel) for (const line of inside) labels.add(line);
  }
  const outer = withoutInner(found);
  const icons = findIcons(picture, mask, lines, outer).map((icon) => asRadio(picture, icon, texts));
  const read = texts
    .filter((line) => !labels.has(line))
    .map(
      (line): FoundElement => ({
        ...{ kind: "text", label: line.text, box: boxOf(line), score: line.confidence, beside: null },
      }),
    );
  return [...outer, ...icons, ...read];
}

/** What a shape with nothing to be read in it is, by its size and what stands beside it; null for a part of a window. */
function blankShape(shape: Shape, texts: readonly TextBox[]): FoundElement | null {
  const [width, height] = [widthOf(shape), heightOf(shape)];
  const box = boxOf(shape);
  const isSquare = width <= 1.35 * height && height <= 1.35 * width;
  const beside = lineBeside(shape, texts);
  if (isSquare) {
    const gap = beside === null ? -1 : beside.left - shape.right;
    if (beside !== null && width <= LARGEST_CHECK_BOX && gap >= 0 && gap <= Math.max(CHECK_BOX_GAP, width)) {
      return { kind: "check_box", label: beside.text, box, score: 0.8, beside };
    }
    return width <= LARGEST_ICON ? { kind: "icon", label: null, box, score: 0.5, beside } : null;
  }
  if (shape.isRound && width > height && width <= 2.6 * height && height <= TALLEST_SWITCH) {
    return { kind: "check_box", label: beside?.text ?? null, box, score: 0.5, beside };
  }
  if (width < 50 || height < 16 || height > TALLEST_BUTTON || width < 2 * height) return null;
  const named = beside ?? lineAbove(shape, texts);
  const score = named === null ? 0.5 : 0.8;
  return { kind: "field", label: named?.text ?? null, box, score, beside: named };
}

/** A pill with a knob at one of its ends, which may be read as a letter. */
function isSwitch(shape: Shape, shapes: readonly Shape[]): boolean {
  const [width, height] = [widthOf(shape), heightOf(shape)];
  if (!shape.isRound || height > TALLEST_SWITCH || width <= 1.2 * height || width > 2.6 * height)
    return false;
  return shapes.some((knob) => {
    const isKnob = Math.abs(widthOf(knob) - heightOf(knob)) <= 2 && heightOf(knob) >= LEAST_KNOB * height;
    const atEnd = Math.min(knob.left - shape.left, shape.right - knob.right);
    return isKnob && knob !== shape && isInside(knob, shape) && atEnd <= 0.3 * height;
  });
}

/** What a shape with something to be read in it is; null for a part of a window. */
function labelledShape(
  shape: Shape,
  inside: readonly TextBox[],
  texts: readonly TextBox[],
  cells: Cells,
): FoundElement | null {
  const [width, height] = [widthOf(shape), heightOf(shape)];
  const box = boxOf(shape);
  const own = linesOf(shape, inside);
  const [line] = own;
  if (line === undefined) {
    const isSmall = height <= TALLEST_BUTTON && width <= 4 * height;
    return isSmall
      ? { kind: "button", label: null, box, score: 0.4, beside: lineBeside(shape, texts) }
      : null;
  }
  const all = own.map(({ text }) => text).join(" ");
  const row = { kind: "row", label: all, box, beside: null } as const;
  if (own.length > 1 || height > TALLEST_BUTTON) {
    return width >= 80 && own.length <= 4 ? { ...row, score: 0.5 } : null;
  }
  const before = line.left - shape.left;
  const behind = shape.right - line.right;
  const isCentred = Math.abs(before - behind) <= Math.max(6, 0.12 * width);
  if (isIn(cells, shape, isCentred)) return { ...row, score: 0.5 };
  if (isCentred && width <= 12 * height) {
    const score = Math.abs(before - behind) <= 4 && height >= 16 ? 0.9 : 0.7;
    return { kind: "button", label: all, box, score, beside: lineBeside(shape, texts) };
  }
  if (before > 40 || behind < 2 * before || width < 80) {
    return width > 12 * height
      ? null
      : { kind: "button", label: all, box, score: 0.5, beside: lineBeside(shape, texts) };
  }
  if (!shape.isFramed) return { ...row, score: 0.6 };
  const named = lineBeside(shape, texts) ?? lineAbove(shape, texts);
  const score = named === null ? 0.6 : 0.8;
  return { kind: "field", label: named?.text ?? all, box, score, beside: named };
}

/** Shapes that touch others of their height beside them, and of their width above or below. */
interface Cells {
  readonly beside: ReadonlySet<Shape>;
  readonly below: ReadonlySet<Shape>;
}

/** Of a table: with neighbours on two sides, or, as in its head, beside it with a text that begins on the left. */
function isIn({ beside, below }: Cells, shape: Shape, isCentred: boolean): boolean {
  return beside.has(shape) && (below.has(shape) || !isCentred);
}

/** Borders of cells are so thin. */
const CELL_GAP = 3;

function cellsOf(shapes: readonly Shape[]): Cells {
  const neighbours = (along: "left" | "top", across: "left" | "top"): Set<Shape> => {
    const end = along === "left" ? "right" : "bottom";
    const far = across === "left" ? "right" : "bottom";
    const found = new Set<Shape>();
    const sorted = [...shapes].sort((a, b) => a[across] - b[across] || a[along] - b[along]);
    for (const [index, shape] of sorted.entries()) {
      for (let at = index + 1; at < sorted.length && sorted[at]![across] <= shape[across] + 1; at++) {
        const other = sorted[at]!;
        const gap = Math.max(other[along] - shape[end], shape[along] - other[end]);
        if (gap < 0 || gap > CELL_GAP || Math.abs(other[far] - shape[far]) > 1) continue;
        found.add(shape).add(other);
      }
    }
    return found;
  };
  return { beside: neighbours("left", "top"), below: neighbours("top", "left") };
}

/** The nearest line in the same row, on either side, outside of a shape. */
function lineBeside(shape: Box, texts: readonly TextBox[]): TextBox | null {
  let nearest: TextBox | null = null;
  let least = FAR;
  for (const line of texts) {
    if (commonRows(shape, line) < 0.5 * Math.min(heightOf(shape), heightOf(line))) continue;
    const gap = Math.max(line.left - shape.right, shape.left - line.right);
    if (gap < 0 || gap >= least) continue;
    least = gap;
    nearest = line;
  }
  return nearest;
}

/** The line right above that begins where a shape does. */
function lineAbove(shape: Box, texts: readonly TextBox[]): TextBox | null {
  const found = texts.filter(
    (line) =>
      shape.top >= line.bottom - 1 &&
      shape.top - line.bottom <= LABEL_GAP &&
      Math.abs(line.left - shape.left) <= LABEL_GAP,
  );
  return found.reduce<TextBox | null>(
    (low, line) => (low === null || line.bottom > low.bottom ? line : low),
    null,
  );
}

/** What looks like an element inside of one, as the knob of a switch, is a part of it; rows hold others. */
function withoutInner(found: readonly FoundElement[]): FoundElement[] {
  const outer = found.filter(({ kind }) => kind !== "row");
  const controls = found.filter(({ kind }) => kind === "button" || kind === "field");
  return found.filter(
    (inner) =>
      // What holds buttons is a window.
      !(inner.kind === "row" && controls.some(({ box }) => isInside(box, inner.box))) &&
      !outer.some(
        (other) =>
          other !== inner &&
          areaOf(other.box) > areaOf(inner.box) &&
          isInside(inner.box, grown(other.box, 2)),
      ),
  );
}

/** Ink that is no text and stands alone, in pieces close to each other. */
function findIcons(
  { width, height }: PixelPicture,
  mask: Uint8Array,
  lines: readonly PlacedLine[],
  elements: readonly FoundElement[],
): FoundElement[] {
  const texts = lines.filter(({ text }) => text !== null);
  const taken = elements.filter(({ kind }) => kind !== "row").map(({ box }) => grown(box, 2));
  const pieces = connectedInk(mask, width, 0, height).filter(
    (box) =>
      widthOf(box) <= LARGEST_ICON &&
      heightOf(box) <= LARGEST_ICON &&
      widthOf(box) * heightOf(box) >= 16 &&
      !texts.some((line) => boxesOverlap(line, box)) &&
      !taken.some((other) => boxesOverlap(other, box)),
  );
  return grouped(pieces)
    .filter(
      (box) =>
        Math.min(widthOf(box), heightOf(box)) >= SMALLEST_ICON &&
        Math.max(widthOf(box), heightOf(box)) <= LARGEST_ICON &&
        widthOf(box) <= 2.2 * heightOf(box) &&
        heightOf(box) <= 2.2 * widthOf(box),
    )
    .slice(0, MOST_ICONS)
    .map((box) => ({ kind: "icon", label: null, box, score: 0.4, beside: null }));
}

/** Beyond so many steps of 255 two pixels are not mirrored; smoothed edges differ by a few. */
const MIRRORED = 24;

/** A ring with or without a dot, beside its label: it is the same in a mirror, as hardly any icon is. */
function asRadio(picture: PixelPicture, icon: FoundElement, texts: readonly TextBox[]): FoundElement {
  const { left, top, right, bottom } = icon.box;
  const [width, height] = [right - left, bottom - top];
  const beside = lineBeside(icon.box, texts);
  const gap = beside === null ? -1 : beside.left - right;
  const isOfLine = beside !== null && gap >= 0 && gap <= Math.max(CHECK_BOX_GAP, width);
  if (!isOfLine || Math.abs(width - height) > 1 || width > LARGEST_CHECK_BOX) return icon;
  const pixel = (x: number, y: number): number => picture.words[(top + y) * picture.width + left + x] ?? 0;
  let mirrored = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const one = pixel(x, y);
      const isSame =
        isNear(one, pixel(width - 1 - x, y), MIRRORED) && isNear(one, pixel(x, height - 1 - y), MIRRORED);
      if (isSame) mirrored++;
    }
  }
  if (mirrored < 0.95 * width * height) return icon;
  return { kind: "check_box", label: beside.text, box: icon.box, score: 0.6, beside };
}

/** Boxes that lie close to each other as one, from the top. */
function grouped(boxes: readonly Box[]): Box[] {
  const groups: Box[] = [];
  for (const box of [...boxes].sort((a, b) => a.top - b.top || a.left - b.left)) {
    let joined = box;
    for (let at = groups.length - 1; at >= 0; at--) {
      const group = groups[at]!;
      // From the top: what ends far above meets nothing any more.
      if (!boxesOverlap(grown(group, ICON_GAP), joined)) continue;
      joined = joinBoxes(joined, group);
      groups.splice(at, 1);
    }
    groups.push(joined);
  }
  return groups;
}

/** The hole of a letter, or the ground between words: what has a frame that was cut with it is as high as the line. */
function isLetterOf(line: Box, shape: Shape): boolean {
  if (!isInside(shape, grown(line, 1)) || isBoxOf(line, shape)) return false;
  return heightOf(shape) < 0.75 * heightOf(line) || widthOf(shape) <= heightOf(line);
}

/** Small lines have no holes of this size. */
const TALLEST_BOXED = 40;
/** What a frame and its distance take, where the line begins. */
const BOX_MARGIN = 4;

/** A check box that was cut as the first letter of its label. */
function isBoxOf(line: Box, shape: Shape): boolean {
  const [width, height] = [widthOf(shape), heightOf(shape)];
  const isSquare = !shape.isRound && Math.abs(width - height) <= 2;
  return (
    isSquare &&
    heightOf(line) <= TALLEST_BOXED &&
    height >= 0.55 * heightOf(line) &&
    shape.left >= line.left - 1 &&
    shape.left - line.left <= BOX_MARGIN &&
    commonRows(line, shape) === height
  );
}

/** A line from its first word behind such a box. */
function withoutBox(line: TextBox, shapes: readonly Shape[]): TextBox {
  const box = shapes.find((shape) => isBoxOf(line, shape));
  if (box === undefined) return line;
  const words = line.words.flatMap((word) => {
    if (word.left >= box.right - 1) return [word];
    // A box that was read with the word behind it; alone it is a mark or two.
    return word.text.length > 2 ? [{ ...word, left: box.right + 1 }] : [];
  });
  const [first] = words;
  if (first === undefined) return line;
  return { ...line, left: first.left, text: words.map(({ text }) => text).join(" "), words };
}

function smallestAround(shapes: readonly Shape[], line: Box): Shape | null {
  let smallest: Shape | null = null;
  for (const shape of shapes) {
    if (!isInside(line, grown(shape, 3))) continue;
    if (smallest === null || areaOf(shape) < areaOf(smallest)) smallest = shape;
  }
  return smallest;
}

const boxOf = ({ left, top, right, bottom }: Box): Box => ({ left, top, right, bottom });
const areaOf = (box: Box): number => widthOf(box) * heightOf(box);
const grown = ({ left, top, right, bottom }: Box, by: number): Box => ({
  ...{ left: left - by, top: top - by, right: right + by, bottom: bottom + by },
});
const isInside = (inner: Box, outer: Box): boolean =>
  inner.left >= outer.left &&
  inner.right <= outer.right &&
  inner.top >= outer.top &&
  inner.bottom <= outer.bottom;
