import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import type { Overlay } from "../../compositor/overlay.ts";
import { RefusedError } from "../../desktop/error.ts";
import { explain, toolErrorSchema } from "../error.ts";
import { connectionIdField, displayScaleField, monitorIndexField } from "../fields.ts";
import { addOverlay, overlayItem } from "../overlay-input.ts";
import type { McpDesktop } from "../ports.ts";
import { defineTool, type ToolContext } from "../tool.ts";

/** Enough to label every element of a dense page; more hides the desktop. */
const MAX_BATCH = 100;

export const batchOverlay = defineTool({
  name: "batch_overlay",
  title: "Draw several overlays",
  description:
    `Draws up to ${MAX_BATCH} overlays in one call; each takes the fields of draw_overlay. By default all are drawn or ` +
    "none. With one_at_a_time they appear one after the other and those before a faulty one stay; `failed` then names it. " +
    "monitor_index applies to every overlay that has none of its own.",
  effect: "overlay",
  input: z.strictObject({
    overlays: z.array(overlayItem).min(1).max(MAX_BATCH),
    one_at_a_time: z
      .boolean()
      .optional()
      .describe("Draw in order, each visible before the next. Default false."),
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
        if (args.one_at_a_time === true && index > 0) await nextTurn();
        context.signal.throwIfAborted();
        drawn.push(addOverlay(desktop, item, context.principal.id));
      } catch (error) {
        const told = explain(error, context.signal);
        if (args.one_at_a_time !== true || told === null || drawn.length === 0) {
          undo(desktop, drawn);
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

function undo(desktop: McpDesktop, drawn: readonly Overlay[]): void {
  for (const { id } of drawn) desktop.scene.remove(id);
}

/** The same refusal, naming which of the overlays it is about. */
function at(index: number, error: unknown, context: ToolContext): unknown {
  const told = explain(error, context.signal);
  if (told === null || told.code === "cancelled") return error;
  const code = told.code === "out_of_bounds" || told.code === "too_many" ? told.code : "invalid_parameters";
  return new RefusedError(code, `overlays.${index}: ${told.message}`, { cause: error });
}
