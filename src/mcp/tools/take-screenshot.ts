import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { fitSize, MOST_SCALE, scaledSize } from "../../desktop/picture/fit.ts";
import {
  FITS,
  IMAGE_FORMATS,
  type ImageFormat,
  type Snapshot,
  type SnapshotPart,
  type SnapshotRequest,
  type View,
} from "../../desktop/view.ts";
import {
  EMPTY_RECT,
  equalRects,
  intersectRects,
  isEmptyRect,
  overlapRects,
  type Point,
  type Rect,
  type Size,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { delay } from "../../platform/clock.ts";
import type { Screenshot } from "../model/screenshot-store.ts";
import { describeScreenshot, keepScreenshot, STALE_TEXT, transformOutput } from "../tool/capture.ts";
import {
  connectionIdField,
  displayScaleField,
  LISTED_AS,
  monitorIndexField,
  rectInput,
  rectOutput,
  timestampField,
} from "../tool/fields.ts";
import { monitorOf, placeOf, rectIn } from "../tool/place.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { scrub } from "../tool/scrub.ts";
import { elementsToMark, markedSnapshot } from "../tool/text/marks.ts";
import { defineTool, type ToolContext } from "../tool/tool.ts";

/** The longest that a call waits for a desktop to come to rest. */
const MAX_STABLE_MS = 10_000;

export const takeScreenshot = defineTool({
  name: "take_screenshot",
  title: "Take screenshot",
  description:
    "Shows the desktop as it is now. Default: all of it, PNG, native size: image pixels are desktop pixels. Otherwise pass its " +
    "screenshot_id with your coordinates, which are then pixels of the image. After an action pass generation_after as " +
    "if_changed_since: nothing new is answered without an image, and with `diff` only what changed is shown.",
  effect: "read",
  rate: "screenshot",
  input: z.strictObject({
    region: rectInput.optional().describe("Only this part."),
    full_screen: z.boolean().optional().describe("Whatever `region` says."),
    scale: z.number().gt(0).max(MOST_SCALE).optional().describe("Default 1."),
    fit: z
      .enum(FITS)
      .optional()
      .describe("Shrinks to what that model sees unshrunk; not with scale. Default none."),
    mode: z
      .enum(["fullscreen", "monitor", "window"])
      .optional()
      .describe("monitor: monitor_index, else the first. window is refused."),
    window_title: z
      .string()
      .max(500)
      .optional()
      .meta(LISTED_AS.never)
      .describe("Only for mode window, which is refused."),
    delay_ms: z.int().min(0).max(MAX_STABLE_MS).optional().describe("Waits so long first."),
    scrub_mask_rects: z
      .array(rectInput)
      .max(100)
      .optional()
      .meta(LISTED_AS.outline)
      .describe("Rectangles like `region`: parts that are black in the image."),
    wait_for_stable_ms: z
      .int()
      .min(0)
      .max(MAX_STABLE_MS)
      .optional()
      .describe("First waits until nothing changed for so long, 10 s at most; `stable` says whether."),
    monitor_index: monitorIndexField,
    format: z.enum(IMAGE_FORMATS).optional().describe("Default png."),
    include_overlays: z.boolean().optional().describe("Default false."),
    include_cursor: z.boolean().optional().describe("Default false."),
    if_changed_since: z
      .int()
      .min(0)
      .optional()
      .describe(
        "A generation you got: tells what you were not shown of it, too. Not with overlays, cursor, marks.",
      ),
    marks: z.boolean().optional().describe("With the ids of get_elements; PNG only, without diff."),
    diff: z.boolean().optional().describe("With if_changed_since: only images of what changed."),
    inline_base64: z
      .boolean()
      .optional()
      .describe("Also as image_base64, for programs that read no image blocks."),
    connection_id: connectionIdField,
  }),
  output: z.object({
    unchanged: z
      .boolean()
      .describe("true: nothing here is new to you since if_changed_since, and there is no image."),
    screenshot_id: z.string(),
    generation: z.int().describe("Grows whenever pixels change."),
    format: z.enum(IMAGE_FORMATS),
    width: z.int().describe("Of the image."),
    height: z.int(),
    region: rectOutput.describe("What it shows, desktop pixels."),
    monitor_index: z.int().nullable().describe("null where it shows several monitors."),
    display_scale: displayScaleField,
    viewport_scroll: z
      .object({ x: z.number(), y: z.number() })
      .nullable()
      .describe("How far what shows your anchors in it was scrolled since add_anchor, where they agree."),
    transform: transformOutput,
    parts: z
      .array(z.object({ region: rectOutput, place: rectOutput }))
      .nullable()
      .describe(
        "With diff: each image block is one part of the screenshot; `region` is what it shows of the desktop, `place` where " +
          "it lies in the whole image. null: the image is whole.",
      ),
    timestamp: timestampField,
    context_metadata: z.object({
      connection_id: z.string(),
      connection_name: z.string(),
      mode: z.string(),
      stable: z.boolean().describe("false: it still changed when the wait ended."),
      stale: z.boolean().describe("true: the target is down and this is the last picture it sent."),
      frame_age_ms: z.number().describe("Since a pixel last changed."),
      exact: z.boolean().describe("false: the target sends approximations of its pixels."),
      drawn_pointer: rectOutput
        .nullable()
        .describe(
          "Desktop pixels in doubt: the target may have drawn its pointer there, where others put it.",
        ),
    }),
    image_base64: z.string().optional(),
  }),
  async handle(args, context) {
    if (args.mode === "window" || args.window_title !== undefined) {
      throw new RefusedError(
        "not_supported",
        "mode window: a remote screen does not say where its windows are, so take a region or the whole of it",
      );
    }
    if (args.fit !== undefined && args.fit !== "none" && args.scale !== undefined) {
      throw new RefusedError("invalid_parameters", "got fit and scale, expected one of them");
    }
    if (args.marks === true && (args.diff === true || (args.format ?? "png") !== "png")) {
      throw new RefusedError(
        "invalid_parameters",
        "got marks beside diff or another format, expected a whole PNG",
      );
    }
    const desktop = await context.readyDesktop(args.connection_id);
    await pause(args.delay_ms ?? 0, context);
    const place = placeOf(desktop, args.monitor_index ?? (args.mode === "monitor" ? 0 : undefined));
    const isWhole = args.region === undefined || args.full_screen === true || args.mode === "fullscreen";
    const region = isWhole || args.region === undefined ? place.bounds : rectIn(place, args.region);
    // All of it is all of it, also where it has another size after the wait.
    const isDesktop = isWhole && place.monitorIndex === null;
    const wait: SnapshotRequest = {
      signal: context.signal,
      stableMs: args.wait_for_stable_ms,
    };
    const view = desktop.view("agent");
    const format = args.format ?? "png";
    const fit = args.fit ?? "none";
    const sized = (shown: Rect): Size =>
      fit === "none" ? scaledSize(shown, args.scale ?? 1) : fitSize(shown, fit);
    const hasExtras = args.include_overlays === true || args.include_cursor === true || args.marks === true;
    const since = hasExtras ? undefined : args.if_changed_since;
    const masks = args.scrub_mask_rects?.map((rect) => rectIn(place, rect)) ?? [];
    const masked = Region.from(masks);
    const untold =
      since === undefined ? null : context.mcpState.reported.untold(context.principal.id, desktop, since);
    const request: SnapshotRequest = {
      ownerId: context.principal.id,
      ...wait,
      ...(isDesktop ? {} : { region }),
      withOverlays: args.include_overlays ?? false,
      withCursor: args.include_cursor ?? false,
      ...(untold === null
        ? {}
        : { sinceGeneration: untold.generation, untold: untold.region.subtract(masked) }),
      isWhole: args.diff !== true || masks.length > 0,
    };
    const toMark = args.marks === true ? await elementsToMark(context, desktop, region) : null;
    const taken =
      masks.length > 0
        ? await scrubbed(view, request, masks, sized, format)
        : await view.snapshot({
            ...request,
            format,
            ...(fit === "none" ? { scale: args.scale ?? 1 } : { fit }),
          });
    const snapshot = toMark === null ? taken : await markedSnapshot(context, desktop, taken, toMark);
    // Overlays and the pointer hide what they lie on; where parts are shown the rest is as it was told.
    const shown = hasExtras ? [] : Region.of(snapshot.region).subtract(masked).rects;
    const isMonitor = isWhole && place.monitorIndex !== null;
    const kept = keepScreenshot(context, desktop, snapshot, "screen", {
      shown,
      ...(isMonitor ? { mode: "monitor" as const } : {}),
    });
    const scroll = desktop.anchors.of(context.principal.id).scrollIn(snapshot.region);
    if (snapshot.isUnchanged === true) {
      return {
        output: { unchanged: true, ...described(desktop, snapshot, kept, null, scroll) },
        text: `Nothing changed since generation ${since}.`,
      };
    }
    const parts = snapshot.parts ?? null;
    const mimeType = `image/${snapshot.format}`;
    const inline =
      args.inline_base64 === true && parts === null ? { image_base64: base64(snapshot.bytes) } : {};
    return {
      output: { unchanged: false, ...described(desktop, snapshot, kept, parts, scroll), ...inline },
      text: textOf(snapshot, desktop, kept, parts),
      images: (parts ?? [snapshot]).map(({ bytes }) => ({ bytes, mimeType })),
      ...(isWhole ? {} : { area: snapshot.region }),
    };
  },
});

async function pause(durationMs: number, { clock, signal }: ToolContext): Promise<void> {
  if (durationMs === 0) return;
  try {
    await delay(clock, durationMs, signal);
  } catch (cause) {
    throw new RefusedError("cancelled", "the call was cancelled", { cause });
  }
}

/** Masks are applied to exact pixels, before anything is shrunk or encoded for the caller. */
async function scrubbed(
  view: View,
  request: SnapshotRequest,
  masks: readonly Rect[],
  sized: (shown: Rect) => Size,
  format: ImageFormat,
): Promise<Snapshot> {
  const exact = await view.snapshot({ ...request, format: "png", scale: 1 });
  const size = sized(exact.region);
  if (exact.isUnchanged === true) return { ...exact, ...size, format };
  const bytes = await scrub(exact.bytes, exact.region, masks, size, format);
  return { ...exact, ...size, format, bytes };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The one monitor that a rectangle lies on, null where it reaches over several. */
function monitorShown(desktop: McpDesktop, region: Rect): number | null {
  const index = monitorOf(desktop, region);
  const screen = desktop.screens[index];
  return screen === undefined || desktop.screens.length === 1 || holds(screen.rect, region) ? index : null;
}

function holds(outer: Rect, inner: Rect): boolean {
  return (
    equalRects(outer, inner) ||
    (inner.x >= outer.x &&
      inner.y >= outer.y &&
      inner.x + inner.width <= outer.x + outer.width &&
      inner.y + inner.height <= outer.y + outer.height)
  );
}

function described(
  desktop: McpDesktop,
  snapshot: Omit<Snapshot, "bytes">,
  kept: Screenshot,
  parts: readonly SnapshotPart[] | null,
  scroll: Point | null,
) {
  return {
    ...describeScreenshot(kept),
    monitor_index: monitorShown(desktop, snapshot.region),
    display_scale: null,
    viewport_scroll: scroll,
    parts:
      parts === null ? null : parts.map(({ rect, place }) => ({ region: { ...rect }, place: { ...place } })),
    timestamp: Date.parse(snapshot.takenAt),
    context_metadata: {
      connection_id: desktop.id,
      connection_name: desktop.name,
      mode: desktop.mode,
      stable: snapshot.isStable,
      stale: snapshot.isStale,
      frame_age_ms: snapshot.frameAgeMs,
      exact: desktop.isExact,
      drawn_pointer: drawnPointerIn(desktop, snapshot.region),
    },
  };
}

/** The part of a picture where the target may have drawn its pointer; null where it has not, and where that is hidden. */
function drawnPointerIn(desktop: McpDesktop, region: Rect): Rect | null {
  const area = intersectRects(desktop.drawnPointer() ?? EMPTY_RECT, region);
  const isHidden = desktop.hiddenFrom("agent").some((rect) => overlapRects(rect, area));
  return isEmptyRect(area) || isHidden ? null : area;
}

/** A model that is not told takes a mask for a part of the screen, and looks for what is wrong with it. */
function hiddenText(hidden: readonly Rect[], region: Rect): readonly string[] {
  const here = hidden.filter((rect) => overlapRects(rect, region));
  if (here.length === 0) return [];
  const places = here.map(({ x, y, width, height }) => `${width}x${height} at ${x},${y}`);
  return [
    `Hidden from you by people, grey here, and not told when it changes: ${places.join("; ")}, in desktop pixels.`,
  ];
}

function textOf(
  snapshot: Snapshot,
  desktop: McpDesktop,
  { id }: Screenshot,
  parts: readonly SnapshotPart[] | null,
): string {
  const { region, width, height } = snapshot;
  const isWhole = region.width === width && region.height === height;
  return [
    `Screenshot of ${desktop.name}: ${width}x${height} ${snapshot.format}, generation ${snapshot.generation}, screenshot_id ${id}.`,
    ...(parts === null ? [] : [`Only the ${parts.length} parts that changed are shown.`]),
    isWhole && region.x === 0 && region.y === 0
      ? "Image pixels are desktop pixels."
      : `It shows ${region.width}x${region.height} at ${region.x},${region.y}: desktop_x = ${region.x} + image_x * ${region.width / width}, desktop_y = ${region.y} + image_y * ${region.height / height}.`,
    ...hiddenText(desktop.hiddenFrom("agent"), region),
    ...(snapshot.isStale ? [STALE_TEXT] : []),
    ...(snapshot.isStable ? [] : ["It was still changing."]),
  ].join(" ");
}
