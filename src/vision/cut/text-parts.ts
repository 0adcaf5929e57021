import { type Box, heightOf, widthOf } from "./box.ts";
import { connectedInk } from "./components.ts";
import { colourAround, commonestColour, distance, type PixelPicture } from "./pixel-picture.ts";

/** A piece of ink that may belong to a line of text, and the colour it stands on. */
export interface TextPart extends Box {
  readonly ground: number;
}

/** What is higher is no letter. */
export const TALLEST_LINE = 64;
/** What is higher is no text, whatever it holds. */
export const TALLEST_COMPONENT = 400;
/** A bar: as high as this, and narrow. */
const BAR_HEIGHT = 90;
const BAR_WIDTH = 20;

/** Ink differs from its ground by so much: the rest is what smoothing leaves. */
const INK = 24;
export const FAINT_INK = 20;
const SHAPE_INK = 16;

/** The parts of a component that may be text: none for a picture or a rule, several for lines that touch. */
export function textParts(picture: PixelPicture, component: Box): TextPart[] {
  const height = heightOf(component);
  const width = widthOf(component);
  if (height > TALLEST_COMPONENT || (height > BAR_HEIGHT && width < BAR_WIDTH)) return [];
  const ground = colourAround(picture, component);
  return (
    partsInShape(picture, component, ground) ??
    splitInRows(picture, withoutSideRules(picture, component, ground), ground)
      .filter((part) => heightOf(part) <= TALLEST_LINE)
      .map((part) => ({ ...part, ground }))
  );
}

/** The text in a filled shape, as a button or a badge, on the shape's own colour; null where it is none. */
function partsInShape(picture: PixelPicture, shape: Box, ground: number): TextPart[] | null {
  const { left, top, right, bottom } = shape;
  const width = right - left;
  const height = bottom - top;
  if (height < 10 || height > 60 || width < 1.3 * height || width > 400) return null;
  const { colour, share } = commonestColour(picture, shape);
  if (share < 0.4 || distance(colour, ground) < FAINT_INK) return null;
  const { words, width: stride } = picture;
  const isFill = (x: number, y: number): boolean => distance(words[y * stride + x]!, colour) <= SHAPE_INK;
  let filled = 0;
  let asked = 0;
  const ask = (x: number, y: number): void => {
    asked++;
    if (isFill(x, y)) filled++;
  };
  for (let x = left + (width >> 2); x < right - (width >> 2); x++) {
    ask(x, top + 2);
    ask(x, bottom - 3);
  }
  for (let y = top + Math.round(height * 0.35); y < bottom - height * 0.35; y++) {
    ask(left + 3, y);
    ask(right - 4, y);
  }
  if (filled < 0.85 * asked) return null;
  const mask = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) mask[y * width + x] = isFill(left + x, top + y) ? 1 : 0;
  }
  return connectedInk(mask, width, 0, height)
    .filter((ink) => ink.left > 1 && ink.right < width - 1 && ink.top > 1 && ink.bottom < height - 1)
    .map((ink) => ({
      left: left + ink.left,
      top: top + ink.top,
      right: left + ink.right,
      bottom: top + ink.bottom,
      ground: colour,
    }));
}

/** Without the sides of a field's frame that touch what stands in it. */
function withoutSideRules(picture: PixelPicture, component: Box, ground: number): Box {
  let box = component;
  for (let cuts = 0; cuts < 4; cuts++) {
    const cut = withoutRule(picture, box, ground, "left") ?? withoutRule(picture, box, ground, "right");
    if (cut === null) return box;
    box = cut;
  }
  return box;
}

/** How wide a rule may be, and how wide the gap behind it. */
const RULE_WIDTH = 6;
const RULE_GAP = 14;

function withoutRule(picture: PixelPicture, box: Box, ground: number, side: "left" | "right"): Box | null {
  const { words, width: stride } = picture;
  const { left, top, right, bottom } = box;
  const height = bottom - top;
  const width = right - left;
  if (height < 14 || width < 10) return null;
  // What goes along the top and the bottom of a frame is in each column.
  const [first, last] = rowsInFrame(picture, box, ground);
  const inkAt = (index: number): number => {
    const x = side === "left" ? left + index : right - 1 - index;
    let ink = 0;
    for (let y = first; y < last; y++) if (distance(words[y * stride + x]!, ground) > FAINT_INK) ink++;
    return ink;
  };
  let rule = 0;
  let isFull = false;
  for (; rule < RULE_WIDTH; rule++) {
    const ink = inkAt(rule);
    if (ink === 0) break;
    isFull ||= ink >= 0.7 * (last - first);
  }
  if (!isFull || rule >= RULE_WIDTH) return null;
  let gap = rule;
  while (gap < width && gap < rule + RULE_GAP && inkAt(gap) <= 2) gap++;
  if (gap - rule < 2 || gap >= width - 1) return null;
  const rest = side === "left" ? { ...box, left: left + gap } : { ...box, right: right - gap };
  const inner = withoutFrameRows(picture, rest, ground);
  if (inner === null || inner.top - top < 2 || bottom - inner.bottom < 2) return null;
  return isStem(picture, inner, ground) ? null : inner;
}

/** Narrow and of ink alone: of two such sides and a bow a letter is made, as n and u. */
function isStem({ words, width: stride }: PixelPicture, box: Box, ground: number): boolean {
  if (widthOf(box) > RULE_WIDTH) return false;
  let ink = 0;
  for (let y = box.top; y < box.bottom; y++) {
    for (let x = box.left; x < box.right; x++) {
      if (distance(words[y * stride + x]!, ground) > FAINT_INK) ink++;
    }
  }
  return ink > 0.85 * widthOf(box) * heightOf(box);
}

type Rows = readonly [top: number, bottom: number];

/** The rows of a box without those at its very top and bottom that are a frame. */
function rowsInFrame({ words, width: stride }: PixelPicture, box: Box, ground: number): Rows {
  const isFrame = (y: number): boolean => {
    let ink = 0;
    for (let x = box.left; x < box.right; x++) {
      if (distance(words[y * stride + x]!, ground) > FAINT_INK) ink++;
    }
    return ink > 0.85 * widthOf(box);
  };
  let { top, bottom } = box;
  while (top < Math.min(bottom, box.top + 3) && isFrame(top)) top++;
  while (bottom > Math.max(top, box.bottom - 3) && isFrame(bottom - 1)) bottom--;
  return [top, bottom];
}

/** The box of the ink in a box, without rows at its very top and bottom that are a frame; null where nothing is left. */
function withoutFrameRows(picture: PixelPicture, box: Box, ground: number): Box | null {
  const { words, width: stride } = picture;
  const isInk = (x: number, y: number): boolean => distance(words[y * stride + x]!, ground) > FAINT_INK;
  const [first, last] = rowsInFrame(picture, box, ground);
  let [left, top, right, bottom] = [box.right, last, box.left, first];
  for (let y = first; y < last; y++) {
    for (let x = box.left; x < box.right; x++) {
      if (!isInk(x, y)) continue;
      if (x < left) left = x;
      if (x >= right) right = x + 1;
      if (y < top) top = y;
      bottom = y + 1;
    }
  }
  return right > left ? { left, top, right, bottom } : null;
}

/** A tall component as the lines it is made of: apart at rows without ink, or nearly without. */
function splitInRows(picture: PixelPicture, box: Box, ground: number): Box[] {
  const height = heightOf(box);
  if (height < 17) return [box];
  const { words, width: stride } = picture;
  const ink = new Int32Array(height);
  for (let y = 0; y < height; y++) {
    const row = (box.top + y) * stride;
    let count = 0;
    for (let x = box.left; x < box.right; x++) if (distance(words[row + x]!, ground) > INK) count++;
    ink[y] = count;
  }
  return withAccents(inkedRows(ink))
    .flatMap((rows) => atValleys(ink, rows, widthOf(box)))
    .map(([top, bottom]) =>
      withoutSideGround(picture, { ...box, top: box.top + top, bottom: box.top + bottom }, ground),
    );
}

function inkedRows(ink: Int32Array): Rows[] {
  const found: Rows[] = [];
  let start = -1;
  for (let y = 0; y <= ink.length; y++) {
    const isInk = y < ink.length && ink[y]! > 0;
    if (isInk && start < 0) start = y;
    if (isInk || start < 0) continue;
    found.push([start, y]);
    start = -1;
  }
  return found;
}

/** Dots and accents belong to what is close above or below them. */
function withAccents(rows: readonly Rows[]): Rows[] {
  const joined: Rows[] = [];
  for (const next of rows) {
    const last = joined.at(-1);
    const high = next[1] - next[0];
    const before = last === undefined ? 0 : last[1] - last[0];
    const isAccent = before <= 0.4 * high || high <= 0.4 * before;
    if (last !== undefined && isAccent && next[0] - last[1] <= Math.max(3, 0.25 * Math.max(high, before))) {
      joined[joined.length - 1] = [last[0], next[1]];
    } else joined.push(next);
  }
  return joined;
}

/** Lines of a terminal touch: a row with very little ink parts them. */
function atValleys(ink: Int32Array, [top, bottom]: Rows, width: number): Rows[] {
  const height = bottom - top;
  if (height < 20 || width <= 2.5 * height) return [[top, bottom]];
  let most = 0;
  for (let y = top; y < bottom; y++) most = Math.max(most, ink[y]!);
  const cuts: number[] = [];
  const isFull = (y: number): boolean => ink[y]! > 0.12 * most;
  for (let y = top + 7; y < bottom - 7; y++) {
    if (isFull(y) || ink[y]! > ink[y - 1]! || ink[y]! > ink[y + 1]!) continue;
    const last = cuts.at(-1);
    // A frame's sides above a line are no line.
    if (!hasRows(isFull, last ?? top, y) || !hasRows(isFull, y, bottom)) continue;
    if (last === undefined || y - last > 7) cuts.push(y);
    else if (ink[y]! < ink[last]!) cuts[cuts.length - 1] = y;
  }
  return [...cuts, bottom].map((cut, index): Rows => [index === 0 ? top : (cuts[index - 1] ?? top), cut]);
}

/** Rows of ink that a line of text has, at least. */
const LEAST_ROWS = 4;

function hasRows(isFull: (y: number) => boolean, from: number, to: number): boolean {
  let rows = 0;
  for (let y = from; y < to && rows < LEAST_ROWS; y++) if (isFull(y)) rows++;
  return rows >= LEAST_ROWS;
}

/** A part that some rows were taken from, as wide as the ink that is left. */
export function cutAt(picture: PixelPicture, part: TextPart): TextPart {
  return { ...withoutSideGround(picture, part, part.ground), ground: part.ground };
}

function withoutSideGround({ words, width: stride }: PixelPicture, box: Box, ground: number): Box {
  let left = box.right;
  let right = box.left;
  for (let y = box.top; y < box.bottom; y++) {
    const row = y * stride;
    for (let x = box.left; x < left; x++) {
      if (distance(words[row + x]!, ground) <= INK) continue;
      left = x;
      break;
    }
    for (let x = box.right - 1; x >= right; x--) {
      if (distance(words[row + x]!, ground) <= INK) continue;
      right = x + 1;
      break;
    }
  }
  return right > left ? { ...box, left, right } : box;
}
