import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { EVENT_KINDS, type EventKind } from "../../desktop/events/subscription.ts";
import type { TextPlaces, WatchedText } from "../../desktop/events/text-watch.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { TextQuery } from "../../vision/text/text-line.ts";
import { mapperFor, spaceFields } from "../tool/coordinate-mapper.ts";
import { connectionIdField, LISTED_AS, rectInput } from "../tool/fields.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { textQuery, textQueryFields } from "../tool/text/text-fields.ts";
import { defineTool, type ToolContext } from "../tool/tool.ts";

const NAMES = [...EVENT_KINDS, "window_focus"] as const;

const WHY_NO_FOCUS =
  "a remote screen does not say which window has the focus: subscribe to screen_change and look";

export const subscribeEvents = defineTool({
  name: "subscribe_events",
  title: "Subscribe to events",
  description:
    "Listens to what happens on the desktop, whoever does it, for poll_events. key_press says how many, never which; " +
    "clipboard how long. What is there " +
    "when it begins did not appear. Ends after 30 minutes without a poll.",
  effect: "read",
  hints: { idempotentHint: false },
  input: z.strictObject({
    events: z.array(z.enum(NAMES)).min(1).max(NAMES.length),
    debounce_ms: z.int().min(0).max(60_000).optional().describe("Default 0."),
    filter: z
      .strictObject({
        region: rectInput.optional().describe("{x, y, width, height}: only there."),
        min_pixels: z
          .int()
          .min(0)
          .max(100_000_000)
          .optional()
          .describe("Smaller screen changes are left out."),
        text: textQueryFields.text.optional().describe("Of text_appeared and text_gone, which need it."),
        match: textQueryFields.match,
        case_sensitive: textQueryFields.case_sensitive,
      })
      .optional()
      .meta(LISTED_AS.outline)
      .describe(
        "region: {x, y, width, height}, only there. min_pixels: smaller screen changes are left out. text, match as of " +
          "find_text: for text_appeared, text_gone.",
      ),
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
    const given = args.filter?.region;
    const region = given === undefined ? null : mapperFor(args, desktop, context).rect(given);
    const isOfText = kinds.some((kind) => kind === "text_appeared" || kind === "text_gone");
    const text = isOfText ? await watchedText(context, desktop, args.filter ?? {}, region) : null;
    const id =
      kinds.length === 0
        ? null
        : context.mcpState.events.subscribe(context.principal.id, desktop, {
            kinds,
            debounceMs: args.debounce_ms ?? 0,
            region,
            minPixels: args.filter?.min_pixels ?? 0,
            text,
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

/** What text_appeared and text_gone look for, and where it is now; throws RefusedError, and VisionError bad_pattern. */
async function watchedText(
  { mcpState: { texts }, signal }: ToolContext,
  desktop: McpDesktop,
  {
    text,
    match,
    case_sensitive,
  }: {
    readonly text?: string | undefined;
    readonly match?: TextQuery["match"] | undefined;
    readonly case_sensitive?: boolean | undefined;
  },
  area: Rect | null,
): Promise<WatchedText> {
  if (text === undefined) {
    throw new RefusedError("invalid_parameters", "text_appeared and text_gone: expected filter.text");
  }
  const query = textQuery({ text, match, case_sensitive });
  const look = async (over: AbortSignal): Promise<TextPlaces> => {
    const { matches, generation } = await texts.find(desktop, query, area, over);
    return { generation, places: matches.map(({ text: found, rect }) => ({ text: found, rect })) };
  };
  return { look, before: (await look(signal)).places };
}
