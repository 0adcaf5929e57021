import * as z from "zod";
import {
  anchorIdField,
  connectionIdField,
  LISTED_AS,
  rectInput,
  rectOutput,
  toleranceField,
  toleranceOf,
} from "../tool/fields.ts";
import { placeOf, rectIn } from "../tool/place.ts";
import { defineTool } from "../tool/tool.ts";

/** Beyond this a colour is another colour. */
const MAX_TOLERANCE = 127;

export const reAnchorElement = defineTool({
  name: "re_anchor_element",
  title: "Find an element again",
  description:
    "Says where what add_anchor remembered is now. Where several places look like it the status is ambiguous and there is no " +
    "position: narrow it down with search_region.",
  effect: "read",
  input: z.strictObject({
    anchor_id: anchorIdField,
    search_region: rectInput
      .optional()
      .meta(LISTED_AS.outline)
      .describe("{x, y, width, height}. Default: the whole desktop."),
    tolerance: toleranceField(MAX_TOLERANCE).describe(
      "How far a colour may be off: of 255, or a share below 0.5. Default 16.",
    ),
    connection_id: connectionIdField,
  }),
  output: z.object({
    found: z.boolean(),
    status: z.enum(["found", "ambiguous", "lost"]),
    new_position: rectOutput.nullable().describe("Desktop pixels; null unless found."),
    reason: z.string().optional().describe("Of a browser tab's element: why it is not seen."),
    confidence: z.number().min(0).max(1).describe("1: every pixel is as it was."),
    viewport_scroll: z
      .object({ x: z.number(), y: z.number() })
      .nullable()
      .describe(
        "How far it was scrolled since add_anchor, right and down; null: not by moves that were seen.",
      ),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const region = args.search_region;
    const anchors = desktop.anchors.of(context.principal.id);
    const tolerance = toleranceOf(args.tolerance);
    const { status, rect, confidence, why } = anchors.find(args.anchor_id, {
      area: region && rectIn(placeOf(desktop, undefined), region),
      tolerance: tolerance === undefined ? undefined : Math.min(MAX_TOLERANCE, tolerance),
    });
    return {
      output: {
        found: status === "found",
        status,
        new_position: rect === null ? null : { ...rect },
        ...(why === undefined ? {} : { reason: why }),
        confidence,
        viewport_scroll: rect === null ? null : anchors.scrollOf(args.anchor_id),
      },
      text:
        rect === null
          ? `Anchor ${args.anchor_id} is ${status}${status === "lost" ? `: ${why ?? "nowhere in view"}` : ": several places look like it"}.`
          : `Anchor ${args.anchor_id} is at ${rect.x},${rect.y} (${rect.width}x${rect.height}), confidence ${confidence}.`,
    };
  },
});
