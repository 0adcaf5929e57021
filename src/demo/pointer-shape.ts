import type { Cursor } from "../framebuffer/cursor.ts";
import type { Point } from "../framebuffer/rect.ts";
import { Drawing } from "./drawing.ts";
import type { Typeface } from "./typeface.ts";

const INK = "#16191d";
const EDGE = "#ffffff";

const ARROW = points([2, 2, 2, 18, 6, 14.4, 8.8, 20.4, 11.6, 19.2, 8.9, 13.4, 14, 13.2]);

/** The strokes of an I-beam 7 pixels wide. */
const BEAM = [points([2.5, 2.5, 8.5, 2.5]), points([5.5, 2.5, 5.5, 16.5]), points([2.5, 16.5, 8.5, 16.5])];

/** The pointer's picture as RFB sends it: dark with a light edge, so that it shows on every ground. */
export function cursorOf(isText: boolean, typeface: Typeface): Cursor {
  const [size, hotspotX, hotspotY] = isText
    ? [{ width: 11, height: 19 }, 5, 9]
    : [{ width: 17, height: 23 }, 2, 2];
  const { canvas } = new Drawing(typeface).sprite("cursor", size, isText ? drawBeam : drawArrow);
  const { data } = canvas.getContext("2d").getImageData(0, 0, size.width, size.height);
  return { ...size, hotspotX, hotspotY, rgba: new Uint8Array(data) };
}

function drawBeam(drawing: Drawing): void {
  for (const stroke of BEAM) drawing.line(stroke, EDGE, 3);
  for (const stroke of BEAM) drawing.line(stroke, INK, 1);
}

function drawArrow(drawing: Drawing): void {
  drawing.polygon(ARROW, EDGE);
  drawing.line([...ARROW, ...ARROW.slice(0, 1)], EDGE, 3);
  drawing.polygon(ARROW, INK);
}

function points(flat: readonly number[]): readonly Point[] {
  return flat.flatMap((x, i) => (i % 2 === 0 ? [{ x, y: flat[i + 1] ?? 0 }] : []));
}
