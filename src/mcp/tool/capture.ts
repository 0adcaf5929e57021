import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { IMAGE_FORMATS, type Snapshot } from "../../desktop/view.ts";
import { equalRects, type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import {
  CAPTURE_MODES,
  type CaptureMode,
  type Screenshot,
  type ScreenshotRole,
} from "../model/screenshot-store.ts";
import { rectOutput } from "./fields.ts";
import type { McpState } from "./mcp-state.ts";
import type { McpDesktop } from "./ports.ts";
import type { ToolContext, ToolImage } from "./tool.ts";

export const transformOutput = z
  .object({ scale_x: z.number(), scale_y: z.number(), offset_x: z.int(), offset_y: z.int() })
  .describe("desktop_x = offset_x + image_x / scale_x, and so for y.");

/** What is said of a screenshot that comes beside something else. */
export const screenshotOutput = z.object({
  screenshot_id: z.string().describe("For space: image, zoom, annotate_screenshot, compare_screenshots."),
  generation: z.int(),
  format: z.enum(IMAGE_FORMATS),
  width: z.int().describe("Of the image."),
  height: z.int(),
  region: rectOutput.describe("What it shows, desktop pixels."),
  transform: transformOutput,
  parts: z
    .array(z.object({ region: rectOutput, place: rectOutput }))
    .optional()
    .describe(
      "Where there are several image blocks, each is a part: what it shows of the desktop, and its place in the image.",
    ),
});

export type ScreenshotOutput = z.input<typeof screenshotOutput>;

/**
 * Keeps what was taken under an id of the caller's, so that coordinates in it can be turned back exactly, and that the
 * caller knows this much of the generation it is told with it: `shown`, by default what the images show.
 */
export function keepScreenshot(
  context: ToolContext,
  desktop: McpDesktop,
  snapshot: Snapshot,
  role: ScreenshotRole,
  { shown, mode }: { readonly shown?: readonly Rect[]; readonly mode?: CaptureMode } = {},
): Screenshot {
  const { region, width, height } = snapshot;
  const { mcpState, principal } = context;
  const seen = shown ?? snapshot.parts?.map(({ rect }) => rect) ?? [region];
  mcpState.reported.shown(principal.id, desktop, seen, snapshot.generation);
  return mcpState.screenshots.add({
    principalId: principal.id,
    desktopId: desktop.id,
    desktopName: desktop.name,
    role,
    mode: mode ?? captureModeOf(desktop, region),
    framing: { desktop: { ...desktop.size }, region, image: { width, height } },
    isPointed: desktop.drawnPointer() !== null,
    format: snapshot.format,
    generation: snapshot.generation,
    takenAt: snapshot.takenAt,
    bytes: snapshot.bytes,
  });
}

/** What a picture of a rectangle was taken of. */
function captureModeOf({ size, screens }: McpDesktop, region: Rect): CaptureMode {
  if (equalRects(region, rectOfSize(size))) return "fullscreen";
  return screens.some(({ rect }) => equalRects(rect, region)) ? "monitor" : "region";
}

/** What is listed of a screenshot beside what its own answer said. */
export const listedOutput = screenshotOutput.extend({
  mode: z.enum(CAPTURE_MODES).describe("What it was taken of."),
  connection_id: z.string(),
  connection_name: z.string(),
  taken_at: z.string(),
  size_bytes: z
    .int()
    .nullable()
    .describe(
      "null: there is no image, because it was answered without a whole one, because newer ones pushed it out, or because it is too old.",
    ),
  uri: z.string(),
});

export function listedScreenshot(shot: Screenshot): z.input<typeof listedOutput> {
  return {
    ...describeScreenshot(shot),
    mode: shot.mode,
    connection_id: shot.desktopId,
    connection_name: shot.desktopName,
    taken_at: shot.takenAt,
    size_bytes: shot.bytes?.byteLength ?? null,
    uri: `screenshots://${shot.id}`,
  };
}

export function describeScreenshot({ id, generation, format, framing }: Screenshot): ScreenshotOutput {
  const { region, image } = framing;
  return {
    screenshot_id: id,
    generation,
    format,
    width: image.width,
    height: image.height,
    region: { x: region.x, y: region.y, width: region.width, height: region.height },
    transform: {
      scale_x: image.width / region.width,
      scale_y: image.height / region.height,
      offset_x: region.x,
      offset_y: region.y,
    },
  };
}

/** The picture of a screenshot of the caller's; throws RefusedError not_found, also where it never had one of its own. */
export function keptPicture({ screenshots }: McpState, id: string, principalId: string): Uint8Array {
  const { bytes } = screenshots.get(id, principalId);
  if (bytes !== null) return bytes;
  throw new RefusedError(
    "not_found",
    "that screenshot has no image: it was answered without a whole one (unchanged, or diff), newer ones pushed it out, or it is too old: take a new one",
  );
}

export const STALE_TEXT = "The target is down: this is the last picture it sent.";

/** The same of a picture that may be in parts, and its image blocks. */
export function describePicture(
  screenshot: Screenshot,
  { bytes, format, parts }: Snapshot,
): { readonly screenshot: ScreenshotOutput; readonly images: readonly ToolImage[] } {
  const described = describeScreenshot(screenshot);
  if (parts === undefined) return { screenshot: described, images: [imageOf({ bytes, format })] };
  const places = parts.map(({ rect, place }) => ({ region: { ...rect }, place: { ...place } }));
  const images = parts.map((part) => imageOf({ bytes: part.bytes, format }));
  return { screenshot: { ...described, parts: places }, images };
}

/** A picture as a content block of the answer. */
export function imageOf({ bytes, format }: Pick<Snapshot, "bytes" | "format">): ToolImage {
  return { bytes, mimeType: `image/${format}` };
}
