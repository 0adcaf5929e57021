import { type Box, heightOf, widthOf } from "../cut/box.ts";
import { isNear, type PixelPicture } from "../cut/pixel-picture.ts";
import { type FlatArea, flatAreas } from "./flat-areas.ts";

/** A flat area that is bounded as things are that are pressed or filled in. */
export interface Shape extends Box {
  /** Its corners are not its own: a circle or a pill. */
  readonly isRound: boolean;
  /** A thin line goes around it, as around a field. */
  readonly isFramed: boolean;
}

const LEAST_SIDE = 9;
/** What is higher or has more of the picture is a window or a page. */
const TALLEST = 90;
const LARGEST_SHARE = 0.15;
/** What is in it, as letters, takes the rest. */
const LEAST_FILLED = 0.4;
/** Of the middle half of a side: so much must be an edge. */
const LEAST_EDGE = 0.85;
/** Neighbours that differ by less are no edge. */
const EDGE = 3;

/** The shapes of a picture, in no order. */
export function findShapes(picture: PixelPicture): Shape[] {
  const largest = picture.width * picture.height * LARGEST_SHARE;
  const areas = flatAreas(picture);
  return [...areas, ...partedByMarks(areas)].flatMap((area) => {
    const [width, height] = [widthOf(area), heightOf(area)];
    if (width < LEAST_SIDE || height < LEAST_SIDE || height > TALLEST || width * height > largest) return [];
    if (area.pixels < LEAST_FILLED * width * height || !hasStraightSides(picture, area)) return [];
    const { left, top, right, bottom } = area;
    return [
      {
        left,
        top,
        right,
        bottom,
        isRound: hasRoundCorners(picture, area),
        isFramed: isFramed(picture, area),
      },
    ];
  });
}

/** Of boxes to tick. */
const LARGEST_TICKED = 40;
/** A tick is not thicker. */
const THICKEST_TICK = 6;

/** Squares that a tick parts in two, each as wide as both. */
function partedByMarks(areas: readonly FlatArea[]): FlatArea[] {
  const wide = areas.filter((area) => widthOf(area) >= LEAST_SIDE && widthOf(area) <= LARGEST_TICKED);
  const byLeft = new Map<number, FlatArea[]>();
  for (const area of wide) byLeft.set(area.left, [...(byLeft.get(area.left) ?? []), area]);
  return wide.flatMap((upper) =>
    [-1, 0, 1]
      .flatMap((by) => byLeft.get(upper.left + by) ?? [])
      .filter(
        (lower) =>
          lower.top > upper.top &&
          lower.bottom > upper.bottom &&
          lower.top <= upper.bottom + THICKEST_TICK &&
          Math.abs(lower.right - upper.right) <= 1 &&
          Math.abs(lower.bottom - upper.top - widthOf(upper)) <= 2 &&
          isNear(lower.colour, upper.colour, EDGE),
      )
      .map((lower) => ({
        left: Math.min(upper.left, lower.left),
        top: upper.top,
        right: Math.max(upper.right, lower.right),
        bottom: lower.bottom,
        pixels: upper.pixels + lower.pixels,
        colour: upper.colour,
      })),
  );
}

/** On all four sides the middle half is an edge; within a circle it lies as far from the box as its curve does. */
function hasStraightSides(picture: PixelPicture, area: FlatArea): boolean {
  const { left, top, right, bottom } = area;
  const inset = 1 + Math.floor(0.07 * Math.min(widthOf(area), heightOf(area)));
  const [quarterX, quarterY] = [widthOf(area) >> 2, heightOf(area) >> 2];
  const across = { from: left + quarterX, to: right - quarterX };
  const down = { from: top + quarterY, to: bottom - quarterY };
  return (
    isEdge(across, (x, deep) => at(picture, x, top + deep), inset) &&
    isEdge(across, (x, deep) => at(picture, x, bottom - 1 - deep), inset) &&
    isEdge(down, (y, deep) => at(picture, left + deep, y), inset) &&
    isEdge(down, (y, deep) => at(picture, right - 1 - deep, y), inset)
  );
}

function isEdge(
  { from, to }: { readonly from: number; readonly to: number },
  pixel: (along: number, deep: number) => number | null,
  inset: number,
): boolean {
  let edges = 0;
  for (let along = from; along < to; along++) {
    const inside = pixel(along, inset);
    // A side between two pixels is soft: its own row is of nearly the same colour.
    for (let deep = -2; deep < inset; deep++) {
      const outer = pixel(along, deep);
      // Beyond the picture nothing goes on.
      if (outer !== null && inside !== null && isNear(outer, inside, EDGE)) continue;
      edges++;
      break;
    }
  }
  return edges >= LEAST_EDGE * (to - from);
}

/** How far from the shape is what its frame lies on. */
const FRAME_REACH = 4;

/** In the middle of each side something that is neither the shape nor what lies beyond. */
function isFramed(picture: PixelPicture, { left, top, right, bottom, colour }: FlatArea): boolean {
  const [middleX, middleY] = [(left + right) >> 1, (top + bottom) >> 1];
  const sides: readonly ((out: number) => number | null)[] = [
    (out) => at(picture, left - out, middleY),
    (out) => at(picture, right - 1 + out, middleY),
    (out) => at(picture, middleX, top - out),
    (out) => at(picture, middleX, bottom - 1 + out),
  ];
  return sides.every((pixel) => {
    const beyond = pixel(FRAME_REACH);
    return [1, 2].some((out) => {
      const frame = pixel(out);
      if (frame === null || beyond === null) return frame === null && beyond === null;
      return !isNear(frame, colour, EDGE) && !isNear(frame, beyond, EDGE);
    });
  });
}

/** Where the corner of the box is not of the colour beside it. */
function hasRoundCorners(picture: PixelPicture, { left, top, right, bottom, colour }: FlatArea): boolean {
  const corners = [
    at(picture, left + 1, top + 1),
    at(picture, right - 2, top + 1),
    at(picture, left + 1, bottom - 2),
    at(picture, right - 2, bottom - 2),
  ];
  return corners.every((corner) => corner === null || !isNear(corner, colour, 24));
}

function at({ words, width, height }: PixelPicture, x: number, y: number): number | null {
  return x < 0 || y < 0 || x >= width || y >= height ? null : (words[y * width + x] ?? null);
}
