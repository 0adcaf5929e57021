import * as z from "zod";
import { anchorElement, elementRefField } from "../tool/browser/element-anchor.ts";
import {
  anchorIdField,
  connectionIdField,
  LISTED_AS,
  monitorIndexField,
  rectInput,
  rectOutput,
} from "../tool/fields.ts";
import { placeOf, rectIn } from "../tool/place.ts";
import { defineTool } from "../tool/tool.ts";

export const addAnchor = defineTool({
  name: "add_anchor",
  title: "Remember an element",
  description:
    "Remembers how a part of the desktop looks, to find it again elsewhere: for draw_overlay, click_at, wait_for and " +
    "re_anchor_element. Choose what looks like nothing else, such as a label with its icon; at most 65536 pixels.",
  effect: "overlay",
  hints: { idempotentHint: true },
  input: z
    .strictObject({
      anchor_id: anchorIdField
        .optional()
        .describe("Your choice; one in use is replaced. Default: a new one."),
      ...rectInput.partial().shape,
      ref: elementRefField
        .meta(LISTED_AS.bare)
        .describe("tab_id:ref of a browser tab's element, instead of a place: the page says where it is."),
      monitor_index: monitorIndexField,
      connection_id: connectionIdField,
    })
    .refine(
      ({ x, y, width, height, ref }) =>
        [x, y, width, height].every((each) => (each === undefined) === (ref !== undefined)),
      "expected x, y, width and height, or ref",
    ),
  output: z.object({
    anchor_id: z.string(),
    bounds: rectOutput.describe("What is remembered, desktop pixels, clamped to the desktop."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const { x = 0, y = 0, width = 1, height = 1, ref } = args;
    if (ref !== undefined) {
      const own = { id: args.anchor_id ?? ref, isOfOverlays: false };
      const { id, rect } = await anchorElement(context, desktop, ref, own);
      return {
        output: { anchor_id: id, bounds: { ...rect } },
        text: `Anchor ${id} is an element of ${rect.width}x${rect.height} at ${rect.x},${rect.y}, and goes with it.`,
      };
    }
    const wanted = rectIn(placeOf(desktop, args.monitor_index), { x, y, width, height });
    const { id } = desktop.anchors.of(context.principal.id).add(wanted, args.anchor_id);
    return {
      output: { anchor_id: id, bounds: { ...wanted } },
      text: `Anchor ${id} remembers ${wanted.width}x${wanted.height} at ${wanted.x},${wanted.y}.`,
    };
  },
});
