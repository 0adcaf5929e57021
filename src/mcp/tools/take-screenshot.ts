import { randomUUID } from "node:crypto";
import * as z from "zod";
import { IMAGE_FORMATS, type Snapshot, type SnapshotRequest } from "../../desktop/view.ts";
import { equalRects, type Rect } from "../../framebuffer/rect.ts";
import {
  connectionIdField,
  displayScaleField,
  monitorIndexField,
  rectInput,
  rectOutput,
  timestampField,
} from "../fields.ts";
import { monitorOf, placeOf, rectIn } from "../place.ts";
import type { McpDesktop } from "../ports.ts";
import { defineTool } from "../tool.ts";

/** The longest that a call waits for a desktop to come to rest. */
const MAX_STABLE_MS = 10_000;

export const takeScreenshot = defineTool({
  name: "take_screenshot",
  title: "Take screenshot",
  description:
    "Shows the desktop as it is now: an image block plus where it was taken. Default: the whole desktop, PNG, native " +
    "size, so that image pixels are the coordinates for click_at and draw_overlay. With `region` or `scale`, use " +
    "`transform`: desktop_x = offset_x + image_x / scale_x. After an action pass its generation_after as " +
    "if_changed_since: when nothing changed since, the answer is short and has no image. Use wait_for_stable_ms " +
    "after something that loads or animates.",
  effect: "read",
  rate: "screenshot",
  input: z.strictObject({
    region: rectInput.optional().describe("Only this part, pixels of the desktop or of monitor_index."),
    full_screen: z.boolean().optional().describe("true takes everything, whatever `region` says."),
    scale: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe("Shrinks both sides, e.g. 0.5. Default 1, exact pixels."),
    wait_for_stable_ms: z
      .int()
      .min(0)
      .max(MAX_STABLE_MS)
      .optional()
      .describe(
        "First waits until nothing changed for so long, at most 10 s in all. `stable` says whether it did.",
      ),
    monitor_index: monitorIndexField,
    format: z
      .enum(IMAGE_FORMATS)
      .optional()
      .describe("Default png, which is exact. jpeg is smaller for photos."),
    include_overlays: z.boolean().optional().describe("Draw the overlays in too. Default false."),
    include_cursor: z.boolean().optional().describe("Draw the pointer in too. Default false."),
    if_changed_since: z
      .int()
      .min(0)
      .optional()
      .describe("A generation you saw: no image when the desktop still has it. Not with overlays or cursor."),
    inline_base64: z
      .boolean()
      .optional()
      .describe(
        "Also puts the image into image_base64, for programs that read no image blocks. Default false.",
      ),
    connection_id: connectionIdField,
  }),
  output: z.object({
    unchanged: z.boolean().describe("true: nothing changed since if_changed_since, and there is no image."),
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
      .describe("null: a remote screen does not say how far its windows are scrolled."),
    transform: z
      .object({ scale_x: z.number(), scale_y: z.number(), offset_x: z.int(), offset_y: z.int() })
      .describe("desktop_x = offset_x + image_x / scale_x, and so for y."),
    timestamp: timestampField,
    context_metadata: z.object({
      connection_id: z.string(),
      connection_name: z.string(),
      mode: z.string(),
      stable: z.boolean().describe("false: it still changed when the wait ended."),
      stale: z.boolean().describe("true: the target is down and this is the last picture it sent."),
      frame_age_ms: z.number().describe("Since a pixel last changed."),
      exact: z.boolean().describe("false: the target sends approximations of its pixels."),
    }),
    image_base64: z.string().optional(),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const place = placeOf(desktop, args.monitor_index);
    const region =
      args.region === undefined || args.full_screen === true ? place.bounds : rectIn(place, args.region);
    const wait: SnapshotRequest = {
      signal: context.signal,
      ...(args.wait_for_stable_ms === undefined ? {} : { stableMs: args.wait_for_stable_ms }),
    };
    const view = desktop.view("agent");
    const hasExtras = args.include_overlays === true || args.include_cursor === true;
    if (args.if_changed_since !== undefined && !hasExtras) {
      // One pixel says which generation the desktop has, after the wait, without encoding all of it.
      const probe = await view.snapshot({
        ...wait,
        region: { x: region.x, y: region.y, width: 1, height: 1 },
      });
      if (probe.generation === args.if_changed_since) {
        const size = sizeOf(region, args.scale ?? 1);
        const format = args.format ?? "png";
        return {
          output: { unchanged: true, ...described(desktop, { ...probe, ...size, region, format }) },
          text: `Nothing changed since generation ${probe.generation}.`,
        };
      }
    }
    const snapshot = await view.snapshot({
      ...wait,
      region,
      format: args.format ?? "png",
      scale: args.scale ?? 1,
      withOverlays: args.include_overlays ?? false,
      withCursor: args.include_cursor ?? false,
    });
    const inline = args.inline_base64 === true ? { image_base64: base64(snapshot.bytes) } : {};
    return {
      output: { unchanged: false, ...described(desktop, snapshot), ...inline },
      text: textOf(snapshot, desktop),
      image: { bytes: snapshot.bytes, mimeType: `image/${snapshot.format}` },
    };
  },
});

function sizeOf(region: Rect, scale: number): { width: number; height: number } {
  return {
    width: Math.max(1, Math.round(region.width * scale)),
    height: Math.max(1, Math.round(region.height * scale)),
  };
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

function described(desktop: McpDesktop, snapshot: Omit<Snapshot, "bytes">) {
  const { region, width, height } = snapshot;
  return {
    screenshot_id: randomUUID(),
    generation: snapshot.generation,
    format: snapshot.format,
    width,
    height,
    region: { x: region.x, y: region.y, width: region.width, height: region.height },
    monitor_index: monitorShown(desktop, region),
    display_scale: null,
    viewport_scroll: null,
    transform: {
      scale_x: width / region.width,
      scale_y: height / region.height,
      offset_x: region.x,
      offset_y: region.y,
    },
    timestamp: Date.parse(snapshot.takenAt),
    context_metadata: {
      connection_id: desktop.id,
      connection_name: desktop.name,
      mode: desktop.mode,
      stable: snapshot.isStable,
      stale: snapshot.isStale,
      frame_age_ms: snapshot.frameAgeMs,
      exact: desktop.isExact,
    },
  };
}

function textOf(snapshot: Snapshot, desktop: McpDesktop): string {
  const { region, width, height } = snapshot;
  const isWhole = region.width === width && region.height === height;
  return [
    `Screenshot of ${desktop.name}: ${width}x${height} ${snapshot.format}, generation ${snapshot.generation}.`,
    isWhole && region.x === 0 && region.y === 0
      ? "Image pixels are desktop pixels."
      : `It shows ${region.width}x${region.height} at ${region.x},${region.y}: desktop_x = ${region.x} + image_x * ${region.width / width}, desktop_y = ${region.y} + image_y * ${region.height / height}.`,
    ...(snapshot.isStale ? ["The target is down: this is the last picture it sent."] : []),
    ...(snapshot.isStable ? [] : ["It was still changing."]),
  ].join(" ");
}
