import type { Cursor } from "../framebuffer/cursor.ts";
import type { Point } from "../framebuffer/rect.ts";
import { Painter } from "./painter.ts";
import type { Typeface } from "./typeface.ts";
import type { PointerShape } from "./widget.ts";

const INK = "#16191d";
const EDGE = "#ffffff";

const ARROW: readonly Point[] = [
  { x: 2, y: 2 },
  { x: 2, y: 18 },
  { x: 6, y: 14.4 },
  { x: 8.8, y: 20.4 },
  { x: 11.6, y: 19.2 },
  { x: 8.9, y: 13.4 },
  { x: 14, y: 13.2 },
];

/** The strokes of an I-beam 7 pixels wide. */
const BEAM: readonly (readonly Point[])[] = [
  [
    { x: 2.5, y: 2.5 },
    { x: 8.5, y: 2.5 },
  ],
  [
    { x: 5.5, y: 2.5 },
    { x: 5.5, y: 16.5 },
  ],
  [
    { x: 2.5, y: 16.5 },
    { x: 8.5, y: 16.5 },
  ],
];

/** The pointer's picture as RFB sends it; dark with a light edge, so that it shows on every ground. */
export function cursorOf(shape: PointerShape, typeface: Typeface): Cursor {
  return shape === "text"
    ? draw({ width: 11, height: 19 }, { x: 5, y: 9 }, typeface, (painter) => {
        for (const stroke of BEAM) painter.line(stroke, EDGE, 3);
        for (const stroke of BEAM) painter.line(stroke, INK, 1);
      })
    : draw({ width: 17, height: 23 }, { x: 2, y: 2 }, typeface, (painter) => {
        painter.polygon(ARROW, EDGE);
        painter.line([...ARROW, ...ARROW.slice(0, 1)], EDGE, 3);
        painter.polygon(ARROW, INK);
      });
}

function draw(
  size: { readonly width: number; readonly height: number },
  hotspot: Point,
  typeface: Typeface,
  paint: (painter: Painter) => void,
): Cursor {
  const painter = new Painter(size, typeface);
  paint(painter);
  const rgba = new Uint8Array(painter.read({ x: 0, y: 0, ...size }));
  return { ...size, hotspotX: hotspot.x, hotspotY: hotspot.y, rgba };
}
