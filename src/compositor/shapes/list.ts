import type { Shape } from "../shape.ts";
import { arrow } from "./arrow.ts";
import { blur } from "./blur.ts";
import { box } from "./box.ts";
import { ellipse } from "./ellipse.ts";
import { freehand } from "./freehand.ts";
import { highlight } from "./highlight.ts";
import { icon } from "./icon.ts";
import { label } from "./label.ts";
import { spotlight } from "./spotlight.ts";
import { text } from "./text.ts";

/** Every kind of overlay; tools, docs and the scene derive from this list. */
export const SHAPES: readonly Shape[] = [
  box,
  label,
  arrow,
  text,
  icon,
  ellipse,
  freehand,
  highlight,
  spotlight,
  blur,
];

const BY_KIND: ReadonlyMap<string, Shape> = new Map(SHAPES.map((shape) => [shape.kind, shape]));

/** The shape of a kind, undefined for an unknown one. */
export function shapeOf(kind: string): Shape | undefined {
  return BY_KIND.get(kind);
}
