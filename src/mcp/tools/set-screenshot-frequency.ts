import * as z from "zod";
import { LEAST_INTERVAL_MS } from "../../desktop/events/event-subscriptions.ts";
import { FREQUENCIES } from "../../desktop/events/screenshot-timer.ts";
import { connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const setScreenshotFrequency = defineTool({
  name: "set_screenshot_frequency",
  title: "Set screenshot frequency",
  description:
    "Captures by itself: manual (never), periodic or on_change. You are told by notifications of screen://CONNECTION_ID " +
    "and screenshot_due events of poll_events, with the screenshot_id.",
  effect: "read",
  hints: { idempotentHint: false },
  input: z.strictObject({
    mode: z.enum(FREQUENCIES),
    interval_ms: z
      .int()
      .min(0)
      .max(24 * 60 * 60 * 1000)
      .optional()
      .describe(`Default and least ${LEAST_INTERVAL_MS}.`),
    only_on_change: z.boolean().optional().describe("periodic: not where nothing changed."),
    connection_id: connectionIdField,
  }),
  output: z.object({
    ok: z.boolean(),
    applied_interval_ms: z.int().describe("What the rate limit allows."),
    subscription_id: z.string().nullable().describe("For poll_events; null in mode manual."),
    uri: z.string().describe("The resource to subscribe to."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const intervalMs = Math.max(LEAST_INTERVAL_MS, args.interval_ms ?? LEAST_INTERVAL_MS);
    const id = context.mcpState.events.setFrequency(context.principal.id, desktop, {
      mode: args.mode,
      intervalMs,
      onlyOnChange: args.only_on_change ?? false,
    });
    return {
      output: {
        ok: true,
        applied_interval_ms: intervalMs,
        subscription_id: id,
        uri: `screen://${desktop.id}`,
      },
      text:
        id === null
          ? "Nothing is captured by itself any more."
          : `Captures ${args.mode}, every ${intervalMs} ms at most.`,
    };
  },
});
