import * as z from "zod";
import { EVENT_KINDS, type EventKind } from "../../desktop/events/subscription.ts";
import { connectionIdField, rectInput } from "../tool/fields.ts";
import { locatorFor, spaceFields } from "../tool/locate.ts";
import { defineTool } from "../tool/tool.ts";

const NAMES = [...EVENT_KINDS, "window_focus"] as const;

const WHY_NO_FOCUS =
  "a remote screen does not say which window has the focus: subscribe to screen_change and look";

export const subscribeEvents = defineTool({
  name: "subscribe_events",
  title: "Subscribe to events",
  description:
    "Listens to what happens on the desktop, whoever does it, for poll_events. key_press says how many, never which; " +
    "clipboard how long. Ends after 30 minutes without a poll.",
  effect: "read",
  hints: { idempotentHint: false },
  input: z.strictObject({
    events: z.array(z.enum(NAMES)).min(1).max(NAMES.length),
    debounce_ms: z.int().min(0).max(60_000).optional().describe("Default 0."),
    filter: z
      .strictObject({
        region: rectInput.optional().describe("Only there."),
        min_pixels: z
          .int()
          .min(0)
          .max(100_000_000)
          .optional()
          .describe("Smaller screen changes are left out."),
      })
      .optional(),
    ...spaceFields,
    connection_id: connectionIdField,
  }),
  output: z.object({
    subscription_id: z.string().nullable().describe("For poll_events; null where nothing was available."),
    subscribed: z.array(z.string()),
    not_available: z.array(z.object({ event: z.string(), reason: z.string() })),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const kinds: EventKind[] = EVENT_KINDS.filter((kind) => args.events.includes(kind));
    const notAvailable = args.events.includes("window_focus")
      ? [{ event: "window_focus", reason: WHY_NO_FOCUS }]
      : [];
    const region = args.filter?.region;
    const id =
      kinds.length === 0
        ? null
        : context.desk.events.subscribe(context.principal.id, desktop, {
            kinds,
            debounceMs: args.debounce_ms ?? 0,
            region: region === undefined ? null : locatorFor(args, desktop, context).rect(region),
            minPixels: args.filter?.min_pixels ?? 0,
          });
    return {
      output: { subscription_id: id, subscribed: kinds, not_available: notAvailable },
      text: [
        id === null ? "Nothing to subscribe to." : `Subscription ${id}: ${kinds.join(", ")}.`,
        ...notAvailable.map(({ event, reason }) => `${event} is not available: ${reason}.`),
      ].join(" "),
    };
  },
});
