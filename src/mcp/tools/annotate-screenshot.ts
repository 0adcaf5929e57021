import * as z from "zod";
import type { Annotation } from "../../compositor/annotate.ts";
import { parseColour } from "../../compositor/colour.ts";
import { OWNER_POINT_LIMIT } from "../../compositor/scene-budget.ts";
import { RefusedError } from "../../desktop/error.ts";
import { describeScreenshot, keptPicture, screenshotOutput } from "../tool/capture.ts";
import { defineTool, type ToolContext } from "../tool/tool.ts";

const KINDS = ["arrow", "rect", "ellipse", "text", "blur", "freehand"] as const;
const MAX_ANNOTATIONS = 200;
const MAX_POINTS = 2000;
/** Of all annotations together, as many as overlays of one owner may have: they are read and checked on the loop. */
const MAX_POINTS_IN_ALL = OWNER_POINT_LIMIT;

const pixel = z.number().min(-65_535).max(65_535);

const annotationInput = z.strictObject({
  type: z.enum(KINDS),
  x: pixel.optional().describe("Pixels of the image. Default 0."),
  y: pixel.optional(),
  width: pixel.optional().describe("An arrow points to x+width, y+height, which may be negative."),
  height: pixel.optional(),
  points: z
    .array(z.strictObject({ x: pixel, y: pixel }))
    .min(1)
    .max(MAX_POINTS)
    .optional()
    .describe(
      `For freehand, at most ${MAX_POINTS_IN_ALL} in all; for an arrow the first and the last instead of x, y, width and height.`,
    ),
  text: z.string().max(2000).optional().describe("For text."),
  color: z.string().max(64).optional().describe("CSS colour name or hex. Default #FF0000."),
  stroke_width: z.number().min(0.5).max(100).optional().describe("Pixels. Default 2."),
});

export const annotateScreenshot = defineTool({
  name: "annotate_screenshot",
  title: "Annotate screenshot",
  description:
    "Draws on a copy of one of your screenshots, in the order of the list, and returns it under an id of its own. Coordinates " +
    "are pixels of the image. People at the desktop do not see it: for them draw_overlay. blur is no protection: for " +
    "that scrub_mask_rects of take_screenshot.",
  effect: "read",
  hints: { idempotentHint: false },
  input: z.strictObject({
    screenshot_id: z.string().min(1).max(100),
    annotations: z.array(annotationInput).min(1).max(MAX_ANNOTATIONS),
  }),
  output: screenshotOutput,
  async handle(args, context) {
    const { screenshots } = context.mcpState;
    const { id: principalId } = context.principal;
    const shot = screenshots.get(args.screenshot_id, principalId);
    const points = args.annotations.reduce((sum, { points = [] }) => sum + points.length, 0);
    if (points > MAX_POINTS_IN_ALL) {
      throw new RefusedError(
        "invalid_parameters",
        `got annotations of ${points} points in all, expected at most ${MAX_POINTS_IN_ALL}`,
      );
    }
    const marks = args.annotations.map(markOf);
    const file = keptPicture(context.mcpState, shot.id, principalId);
    const bytes = await annotated(context, file, marks);
    const { id: _id, ...facts } = shot;
    const kept = screenshots.add({ ...facts, role: "detail", format: "png", bytes });
    return {
      output: describeScreenshot(kept),
      text: `Drew ${marks.length} annotations: screenshot_id ${kept.id}.`,
      image: { bytes, mimeType: "image/png" },
    };
  },
});

async function annotated(
  { mcpState, principal, signal }: ToolContext,
  file: Uint8Array,
  marks: readonly Annotation[],
): Promise<Uint8Array> {
  try {
    return await mcpState.annotate(principal.id, file, marks, signal);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RefusedError("rate_limited", cause.message, { retryAfterMs: 1000, cause });
  }
}

/** Throws RefusedError invalid_parameters for a kind without what it needs, CompositorError bad_colour. */
function markOf(given: z.output<typeof annotationInput>, index: number): Annotation {
  const { type, x = 0, y = 0, width = 0, height = 0, points } = given;
  const color = parseColour(given.color ?? "#FF0000");
  const strokeWidth = given.stroke_width ?? 2;
  const need = (what: string): RefusedError =>
    new RefusedError("invalid_parameters", `annotations.${index}: a ${type} needs ${what}`);
  switch (type) {
    case "freehand":
      if (points === undefined) throw need("points");
      return { type, color, strokeWidth, points };
    case "text":
      if (given.text === undefined || given.text === "") throw need("text");
      return { type, color, text: given.text, x, y, width, height };
    case "arrow": {
      const from = points?.[0] ?? { x, y };
      const to = points?.at(-1) ?? { x: x + width, y: y + height };
      if (from.x === to.x && from.y === to.y) throw need("a length: width and height, or two points");
      return { type, color, strokeWidth, ...from, width: to.x - from.x, height: to.y - from.y };
    }
    case "blur":
    case "rect":
    case "ellipse":
      if (width <= 0 || height <= 0) throw need("width and height of more than 0");
      if (type === "blur") {
        return {
          type,
          x: Math.round(x),
          y: Math.round(y),
          width: Math.round(width),
          height: Math.round(height),
        };
      }
      return { type, color, strokeWidth, x, y, width, height };
  }
}
