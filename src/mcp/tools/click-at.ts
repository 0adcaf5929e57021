import * as z from "zod";
import type { OwnAnchors } from "../../desktop/anchors/own-anchors.ts";
import { BUTTONS, type Found } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Point, Rect } from "../../framebuffer/rect.ts";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { mapperFor, placeText, positionOutput, spaceFields } from "../tool/coordinate-mapper.ts";
import { anchorIdField, coordinate, timingField } from "../tool/fields.ts";
import { holdKeysField, keysymOf } from "../tool/held-keys.ts";
import { toldPlace } from "../tool/pointer-place.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { defineTool } from "../tool/tool.ts";

export const clickAt = defineTool({
  name: "click_at",
  title: "Click",
  description:
    "Clicks at x,y, or where the pointer is without them. `changed: false` in the answer means that nothing on the screen " +
    "moved: look again before you go on.",
  effect: "input",
  input: z
    .strictObject({
      x: coordinate.optional(),
      y: coordinate.optional(),
      button: z.enum(BUTTONS).optional().describe("Default left."),
      clicks: z.int().min(1).max(3).optional().describe("Default 1."),
      hold_keys: holdKeysField,
      anchor_id: anchorIdField
        .optional()
        .describe("Instead of x and y: the middle of what add_anchor remembered."),
      ...spaceFields,
      ...actingFields,
      action_timing_hint: timingField,
    })
    .refine(
      ({ x, anchor_id }) => x === undefined || anchor_id === undefined,
      "expected x and y, or anchor_id, not both",
    )
    .refine(({ x, y }) => (x === undefined) === (y === undefined), "expected both x and y, or neither"),
  output: z.object({
    actual_position: z.object({ x: z.int(), y: z.int() }).nullable().describe("Desktop pixels."),
    position: positionOutput.nullable().describe("The same, in both spaces."),
    ...actedFields,
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const mapper = mapperFor(args, desktop, context);
    const found =
      args.anchor_id === undefined
        ? undefined
        : anchored(desktop, desktop.anchors.of(context.principal.id), args.anchor_id);
    const point =
      found !== undefined
        ? middleOf(found.rect)
        : args.x === undefined || args.y === undefined
          ? null
          : mapper.point({ x: args.x, y: args.y });
    const acted = await act(
      context,
      desktop,
      {
        kind: "click",
        x: point?.x ?? null,
        y: point?.y ?? null,
        button: args.button ?? "left",
        clicks: args.clicks ?? 1,
        holdKeysyms: (args.hold_keys ?? []).map(keysymOf),
      },
      { ...args, found },
    );
    const at = toldPlace(desktop, point, acted.result.position ?? point);
    return {
      output: {
        actual_position: at,
        position: at === null ? null : mapper.echo(at),
        ...acted.output,
      },
      text: `Clicked${at === null ? "" : ` at ${placeText(mapper.echo(at))}`}. ${acted.text}`,
      ...acted.images,
    };
  },
});

/** An anchored element where it is now; throws RefusedError not_found, stale_screen where it is lost or ambiguous. */
function anchored({ generation }: McpDesktop, anchors: OwnAnchors, anchorId: string): Found {
  const { rect, status } = anchors.find(anchorId);
  if (rect === null) {
    throw new RefusedError("stale_screen", `the anchor is ${status}: expected it in one place on the screen`);
  }
  return { what: "anchor", rect, generation };
}

function middleOf({ x, y, width, height }: Rect): Point {
  return { x: x + (width >> 1), y: y + (height >> 1) };
}
