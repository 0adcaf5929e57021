import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { delay } from "../../platform/clock.ts";
import { connectionIdField, LONGEST_WAIT_MS } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const wait = defineTool({
  name: "wait",
  title: "Wait",
  description:
    "Waits so long, and says whether the screen changed meanwhile. Better where there is something to wait for: wait_for.",
  effect: "read",
  input: z.strictObject({
    duration_ms: z.int().min(0).max(LONGEST_WAIT_MS),
    connection_id: connectionIdField,
  }),
  output: z.object({
    waited_ms: z.number(),
    changed: z.boolean(),
    generation: z
      .int()
      .describe("When the wait began: pass it to take_screenshot as if_changed_since to see what changed."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const { generation } = desktop;
    const startMs = context.clock.nowMs();
    try {
      await delay(context.clock, args.duration_ms, context.signal);
    } catch (cause) {
      throw new RefusedError("cancelled", "the call was cancelled", { cause });
    }
    const waited = Math.round(context.clock.nowMs() - startMs);
    const hasChanged = desktop.generation !== generation;
    return {
      output: { waited_ms: waited, changed: hasChanged, generation },
      text: `Waited ${waited} ms; the screen ${hasChanged ? "changed" : "did not change"}.`,
    };
  },
});
