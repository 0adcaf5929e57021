import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import type { Point, Rect } from "../../framebuffer/rect.ts";
import {
  assertFresh,
  type Framing,
  nativeFraming,
  SPACES,
  type Space,
  toImage,
  toNative,
} from "../model/coordinates.ts";
import { monitorIndexField } from "./fields.ts";
import { placeOf, pointIn, rectIn } from "./place.ts";
import type { McpDesktop } from "./ports.ts";
import type { ToolContext } from "./tool.ts";

/** Fields that say what a caller's coordinates mean; every tool with coordinates has them. */
export const spaceFields = {
  space: z
    .enum(SPACES)
    .optional()
    .describe(
      "native: desktop pixels. image: pixels of the image of screenshot_id (default: your latest one). normalized_1000: 0 to " +
        "999 across that image. Default: image with screenshot_id, else native.",
    ),
  screenshot_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("The screenshot that your coordinates come from."),
  monitor_index: monitorIndexField,
};

export interface SpaceArguments {
  readonly space?: Space | undefined;
  readonly screenshot_id?: string | undefined;
  readonly monitor_index?: number | undefined;
}

const pointOutput = z.object({ x: z.int(), y: z.int() });

/** Where an action was, in both spaces. */
export const positionOutput = z.object({
  native: pointOutput.describe("Desktop pixels."),
  image: pointOutput
    .nullable()
    .describe("Pixels of the image it refers to; null where that does not show it."),
  screenshot_id: z.string().nullable().describe("That image; null: none, coordinates were desktop pixels."),
});

/**
 * A place in words: desktop pixels, and before them the pixels of the caller's screenshot where those are others, for
 * who reads only the text and counts in that.
 */
export function placeText({ native, image, screenshot_id }: z.input<typeof positionOutput>): string {
  const at = `${native.x},${native.y}`;
  const isSame = image === null || (image.x === native.x && image.y === native.y);
  if (isSame || screenshot_id === null) return at;
  return `${image.x},${image.y} of your screenshot (desktop pixel ${at})`;
}

/** Turns a caller's coordinates into desktop pixels, and desktop pixels back into the caller's. */
export interface CoordinateMapper {
  /** Throws RefusedError out_of_bounds. */
  point(point: Point): Point;
  /** Clamped to what there is; throws RefusedError out_of_bounds where nothing is left. */
  rect(rect: Rect): Rect;
  /** A desktop pixel as answers say it. */
  echo(native: Point): z.input<typeof positionOutput>;
  /** What normalized and image coordinates refer to. */
  readonly framing: Framing;
}

/**
 * `by`: whose screenshot coordinates refer to that name none. Those of `computer` are of the last one that it gave itself: what
 * the caller looked at by other tools meanwhile does not change what they mean. Throws RefusedError not_found for an unknown screenshot, stale_screenshot, invalid_parameters, out_of_bounds.
 */
export function mapperFor(
  args: SpaceArguments,
  desktop: McpDesktop,
  context: ToolContext,
  by: "any" | "computer" = "any",
): CoordinateMapper {
  const space = args.space ?? (args.screenshot_id === undefined ? "native" : "image");
  const { screenshots } = context.mcpState;
  const { id: principalId } = context.principal;
  const shot =
    args.screenshot_id !== undefined
      ? screenshots.get(args.screenshot_id, principalId)
      : space === "native" || args.monitor_index !== undefined
        ? null
        : (screenshots.latest(principalId, desktop.id, by) ?? screenshots.latest(principalId, desktop.id));
  if (shot !== null) {
    if (shot.desktopId !== desktop.id) {
      throw new RefusedError(
        "invalid_parameters",
        `that screenshot is of ${shot.desktopName}, not of ${desktop.name}: pass its connection_id too`,
      );
    }
    assertFresh(shot, desktop.size, desktop.sizedSince());
    if (args.monitor_index !== undefined && space !== "native") {
      throw new RefusedError(
        "invalid_parameters",
        "got monitor_index beside coordinates of an image, which lies where it lies: leave one out",
      );
    }
  }
  const place = placeOf(desktop, args.monitor_index);
  const framing = shot?.framing ?? nativeFraming(desktop.size, place.bounds);
  // Native coordinates may be relative to a monitor; the other spaces have their own origin.
  const point = (given: Point): Point =>
    space === "native" ? pointIn(place, given) : toNative(given, space, framing);
  return {
    framing,
    point,
    rect(rect) {
      if (space === "native") return rectIn(place, rect);
      const from = point({ x: rect.x, y: rect.y });
      const limit = space === "image" ? framing.image : { width: 1001, height: 1001 };
      const to = point({
        x: Math.min(limit.width, rect.x + rect.width) - 1,
        y: Math.min(limit.height, rect.y + rect.height) - 1,
      });
      return spanOf(from, to, framing, space);
    },
    echo(native) {
      const { x, y } = native;
      return { native: { x, y }, image: toImage(native, framing), screenshot_id: shot?.id ?? null };
    },
  };
}

/**
 * As `mapperFor` for what has no place of its own: where the latest screenshot is of another size of the desktop,
 * desktop pixels do. Who cannot look again because the last look is stale never looks again.
 */
export function lenientMapperFor(
  args: SpaceArguments,
  desktop: McpDesktop,
  context: ToolContext,
  by: "any" | "computer" = "any",
): CoordinateMapper {
  try {
    return mapperFor(args, desktop, context, by);
  } catch (error) {
    const isStale = error instanceof RefusedError && error.code === "stale_screenshot";
    if (!isStale || args.screenshot_id !== undefined) throw error;
    return mapperFor({ space: "native" }, desktop, context);
  }
}

/** From the pixel of the first corner to the end of the image's pixel at the second, so that nothing is cut off. */
function spanOf(from: Point, to: Point, { region, image }: Framing, space: Space): Rect {
  const cellsX = space === "image" ? image.width : 1000;
  const cellsY = space === "image" ? image.height : 1000;
  const right = Math.min(region.x + region.width, to.x + Math.ceil(region.width / cellsX));
  const bottom = Math.min(region.y + region.height, to.y + Math.ceil(region.height / cellsY));
  return {
    x: from.x,
    y: from.y,
    width: Math.max(1, right - from.x),
    height: Math.max(1, bottom - from.y),
  };
}
