import * as z from "zod";
import { parseColour } from "../../compositor/colour.ts";
import type { Overlay, OverlaySpec } from "../../compositor/overlay.ts";
import { POINT_LIMIT } from "../../compositor/shapes/freehand.ts";
import { SHAPES } from "../../compositor/shapes/list.ts";
import { RefusedError } from "../../desktop/error.ts";
import { translateRect } from "../../framebuffer/rect.ts";
import { elementRefField } from "./browser/element-anchor.ts";
import { anchorIdField, LISTED_AS, monitorIndexField } from "./fields.ts";
import { monitorOf, placeOf, wholePixels } from "./place.ts";
import type { McpDesktop } from "./ports.ts";

/** Also left of and above the desktop: what is drawn is clamped. */
const signed = z.number().min(-65_535).max(65_535);

const DAY_MS = 24 * 60 * 60 * 1000;

/** What draw_overlay and each item of batch_overlay take. */
const overlayFields = {
  x: signed,
  y: signed,
  width: signed.describe("An arrow points to x+width, y+height: there it may be negative."),
  height: signed,
  color: z.string().max(64).optional().describe("CSS colour. Default yellow."),
  opacity: z.number().min(0).max(1).optional().describe("Default 0.5."),
  label: z.string().max(1024).optional().describe("Caption of a box, text of a text, name of an icon."),
  annotation_type: z
    .enum(SHAPES.map(({ kind }) => kind))
    .optional()
    .describe("Default box. blur hides nothing: masks do."),
  points: z
    .array(z.strictObject({ x: signed, y: signed }))
    .min(1)
    .max(POINT_LIMIT)
    .optional()
    .describe("Of a freehand line; without them it is a ring around the rectangle."),
  temporary_ms: z.int().min(1).max(DAY_MS).optional().describe("Goes after so long. Default: stays."),
  click_through: z.boolean().optional().describe("false: a button removes it. Clicks go through either way."),
  monitor_index: monitorIndexField,
  anchor_id: anchorIdField
    .optional()
    .describe("The overlay goes with that element, hidden while it is out of view."),
};

/** With an element of a browser tab they are its own where they are absent. */
export const drawnFields = {
  ...overlayFields,
  x: signed.optional(),
  y: signed.optional(),
  width: overlayFields.width.optional(),
  height: signed.optional(),
  ref: elementRefField
    .meta(LISTED_AS.bare)
    .describe("tab_id:ref of a browser tab's element, instead of a place: it goes with that."),
};

/** One overlay of a batch. */
export const overlayItem = z.strictObject(overlayFields);
export type OverlayInput = z.output<typeof overlayItem>;

/** Draws what a caller asked for, clamped to its monitor. Throws CompositorError or RefusedError. */
export function addOverlay(desktop: McpDesktop, input: OverlayInput, ownerId: string): Overlay {
  const kind = input.annotation_type ?? "box";
  if (kind !== "arrow" && (input.width < 0 || input.height < 0)) {
    throw new RefusedError(
      "invalid_parameters",
      `got a ${kind} of ${input.width}x${input.height}, expected width and height of 0 or more`,
    );
  }
  const place = placeOf(desktop, input.monitor_index);
  const wanted = wholePixels(translateRect(input, place.bounds.x, place.bounds.y));
  const spec: OverlaySpec = {
    ...wanted,
    kind,
    color: parseColour(input.color ?? "yellow"),
    opacity: input.opacity ?? 0.5,
    label: input.label ?? null,
    temporaryMs: input.temporary_ms ?? null,
    clickThrough: input.click_through ?? true,
    monitorIndex: place.monitorIndex ?? monitorOf(desktop, wanted),
    ...(input.points === undefined
      ? {}
      : { points: input.points.map((point) => ({ x: point.x - input.x, y: point.y - input.y })) }),
    ...(input.anchor_id === undefined
      ? {}
      : { anchorId: desktop.anchors.of(ownerId).get(input.anchor_id).id }),
  };
  return desktop.scene.add(spec, ownerId, place.bounds);
}
