import * as z from "zod";
import type { Overlay } from "../../compositor/overlay.ts";
import { RefusedError } from "../../desktop/error.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import { explain, toolErrorSchema } from "../tool/error.ts";
import { connectionIdField, displayScaleField, LISTED_AS, monitorIndexField } from "../tool/fields.ts";
import { addOverlay, overlayItem } from "../tool/overlay-input.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { defineTool, type ToolContext } from "../tool/tool.ts";

/** Enough to label every element of a dense page; more hides the desktop. */
const MAX_BATCH = 100;

/** Drawn in one turn of the event loop: a label may take a millisecond to lay out. */
const TURN_OVERLAYS = 10;

export const batchOverlay = defineTool({
  name: "batch_overlay",
  title: "Draw several overlays",
  description:
    `Draws up to ${MAX_BATCH} overlays, each with the fields of draw_overlay: all or none. With one_at_a_time they appear ` +
    "in turn, and those before a faulty one, which `failed` names, stay.",
  effect: "overlay",
  input: z.strictObject({
    overlays: z.array(overlayItem).min(1).max(MAX_BATCH).meta(LISTED_AS.outline),
    one_at_a_time: z.boolean().optional().describe("Default false."),
    monitor_index: monitorIndexField,
    connection_id: connectionIdField,
  }),
  output: z.object({
    overlay_ids: z.array(z.string()).describe("In the order of `overlays`."),
    monitor_index: z.int().describe("Of the first overlay."),
    display_scale: displayScaleField,
    failed: toolErrorSchema
      .extend({ index: z.int() })
      .nullable()
      .describe("Only with one_at_a_time: the overlay at which drawing stopped, and why."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const items = args.overlays.map((item) => ({ monitor_index: args.monitor_index, ...item }));
    const drawn: Overlay[] = [];
    let failed: ({ index: number } & NonNullable<ReturnType<typeof explain>>) | null = null;
    for (const [index, item] of items.entries()) {
      try {
        if (index > 0 && (args.one_at_a_time === true || index % TURN_OVERLAYS === 0)) await nextTurn();
        context.signal.throwIfAborted();
        drawn.push(addOverlay(desktop, item, context.principal.id));
      } catch (error) {
        const told = explain(error, context.signal);
        if (args.one_at_a_time !== true || told === null || drawn.length === 0) {
          undo(desktop, drawn, context);
          throw at(index, error, context);
        }
        failed = { index, ...told };
        break;
      }
    }
    const ids = drawn.map(({ id }) => id);
    return {
      output: {
        overlay_ids: ids,
        monitor_index: drawn[0]?.monitorIndex ?? 0,
        display_scale: null,
        failed,
      },
      text:
        `Drew ${ids.length} of ${items.length} overlays: ${ids.join(", ")}.` +
        (failed === null ? "" : ` Stopped at overlays.${failed.index}: ${failed.message}.`),
    };
  },
});

function undo(desktop: McpDesktop, drawn: readonly Overlay[], { actor }: ToolContext): void {
  for (const { id } of drawn) desktop.scene.remove(id, actor);
}

/** The same refusal, naming which of the overlays it is about. */
function at(index: number, error: unknown, context: ToolContext): unknown {
  const told = explain(error, context.signal);
  if (told === null || told.code === "cancelled") return error;
  const isOwn = told.code === "out_of_bounds" || told.code === "too_many" || told.code === "stopped";
  const code = isOwn ? told.code : "invalid_parameters";
  return new RefusedError(code, `overlays.${index}: ${told.message}`, { cause: error });
}
