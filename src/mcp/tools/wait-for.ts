import * as z from "zod";
import { parseColour } from "../../compositor/colour.ts";
import { RefusedError } from "../../desktop/error.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import { keptPicture } from "../tool/capture.ts";
import { mapperFor, spaceFields } from "../tool/coordinate-mapper.ts";
import {
  connectionIdField,
  coordinate,
  LISTED_AS,
  LONGEST_WAIT_MS,
  rectInput,
  rectOutput,
  toleranceField,
  toleranceOf,
} from "../tool/fields.ts";
import { awaitText } from "../tool/text/await-text.ts";
import { textQuery, textQueryFields } from "../tool/text/text-fields.ts";
import { defineTool } from "../tool/tool.ts";
import { awaitOn, colourAt, decodedImage, type Waited } from "../tool/wait-condition.ts";

const CONDITIONS = ["stable", "change", "color", "image", "anchor", "text", "text_gone"] as const;

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_STABLE_MS = 500;

export const waitFor = defineTool({
  name: "wait_for",
  title: "Wait for",
  description:
    "Returns as soon as something happened. stable: nothing changed in `region` for stable_ms. change: something did. " +
    "color: pixel x,y has `color`. image: `region` looks as in screenshot_id. anchor: anchor_id is in view. text, text_gone: `text` " +
    "is there, or not. `met` is false when timeout_ms passed first.",
  effect: "read",
  isForeign: true,
  input: z.strictObject({
    condition: z.enum(CONDITIONS),
    region: rectInput
      .optional()
      .meta(LISTED_AS.outline)
      .describe("{x, y, width, height}. Default: the whole screen."),
    x: coordinate.optional(),
    y: coordinate.optional(),
    color: z.string().max(64).optional(),
    tolerance: toleranceField(255).describe(
      "How far a colour may be off: of 255, or a share below 1. Default 0; for an anchor 16.",
    ),
    stable_ms: z.int().min(1).max(10_000).optional().describe(`Default ${DEFAULT_STABLE_MS}.`),
    timeout_ms: z.int().min(0).max(LONGEST_WAIT_MS).optional().describe(`Default ${DEFAULT_TIMEOUT_MS}.`),
    text: textQueryFields.text.optional(),
    match: textQueryFields.match.meta(LISTED_AS.bare),
    case_sensitive: textQueryFields.case_sensitive.meta(LISTED_AS.never),
    anchor_id: z.string().max(200).optional(),
    ...spaceFields,
    connection_id: connectionIdField,
  }),
  output: z.object({
    met: z.boolean().describe("false: timeout_ms passed first."),
    stale: z.boolean().describe("true: the target is down and this is the last picture it sent."),
    waited_ms: z.number(),
    generation: z
      .int()
      .describe("Covers changed_rects; what changed outside of the region meanwhile has a later one."),
    changed_rects: z.array(rectOutput).max(32).describe("What changed meanwhile in the region."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const mapper = mapperFor(args, desktop, context);
    const whole = { x: 0, y: 0, width: desktop.size.width, height: desktop.size.height };
    const region = args.region === undefined ? whole : mapper.rect(args.region);
    const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    const tolerance = toleranceOf(args.tolerance);
    const { width, height } = desktop.size;
    /** Where pixels are compared: they are others once the desktop has another size. */
    const assertSameSize = (): void => {
      const now = desktop.size;
      if (now.width === width && now.height === height) return;
      throw new RefusedError(
        "stale_screenshot",
        `the desktop was ${width}x${height} when this began to wait and is ${now.width}x${now.height} now`,
      );
    };
    const on = { desktop, clock: context.clock, signal: context.signal, region, timeoutMs };
    let waited: Waited & { readonly isRead?: boolean };
    switch (args.condition) {
      case "stable":
        waited = await awaitOn(on, { quietMs: args.stable_ms ?? DEFAULT_STABLE_MS });
        break;
      case "change":
        waited = await awaitOn(on, { holds: (seen) => !seen.isEmpty });
        break;
      case "color": {
        if (args.x === undefined || args.y === undefined || args.color === undefined) {
          throw new RefusedError("invalid_parameters", "condition color: expected x, y and color");
        }
        const point = mapper.point({ x: args.x, y: args.y });
        const wanted = parseColour(args.color);
        const at = { ...point, width: 1, height: 1 };
        waited = await awaitOn(
          { ...on, region: at },
          {
            holds: () => {
              assertSameSize();
              return colourAt(desktop, point).isNear(wanted, tolerance ?? 0);
            },
          },
        );
        break;
      }
      case "text":
      case "text_gone": {
        const { text, condition } = args;
        if (text === undefined) {
          throw new RefusedError("invalid_parameters", `condition ${condition}: expected text`);
        }
        const query = textQuery({ ...args, text });
        const area = args.region === undefined ? null : region;
        waited = await awaitText(on, context.mcpState.texts, {
          query,
          area,
          isGone: condition === "text_gone",
        });
        break;
      }
      case "anchor": {
        const { anchor_id } = args;
        if (anchor_id === undefined) {
          throw new RefusedError("invalid_parameters", "condition anchor: expected anchor_id");
        }
        const search = { area: args.region && region, tolerance };
        waited = await awaitOn(on, {
          holds: () => desktop.anchors.of(context.principal.id).find(anchor_id, search).status === "found",
        });
        break;
      }
      case "image": {
        if (args.screenshot_id === undefined) {
          throw new RefusedError("invalid_parameters", "condition image: expected screenshot_id");
        }
        const shot = context.mcpState.screenshots.get(args.screenshot_id, context.principal.id);
        const bytes = keptPicture(context.mcpState, shot.id, context.principal.id);
        const wanted = await decodedImage({ ...shot, bytes }, args.region === undefined ? null : region);
        waited = await awaitOn(
          { ...on, region: wanted.region },
          {
            holds: () => {
              assertSameSize();
              return wanted.isShown(desktop, tolerance ?? 0);
            },
          },
        );
        break;
      }
    }
    return {
      output: {
        met: waited.isMet,
        stale: waited.isStale,
        waited_ms: waited.waitedMs,
        generation: waited.generation,
        changed_rects: coverOf(waited.changed.rects, 32),
      },
      text: [
        waited.isMet
          ? `It happened after ${waited.waitedMs} ms.`
          : `It did not happen within ${timeoutMs} ms.`,
        ...(waited.isRead === false ? ["The screen was not read to its end in that time."] : []),
        ...(waited.isStale ? ["The target is down: its screen is not known."] : []),
      ].join(" "),
    };
  },
});
