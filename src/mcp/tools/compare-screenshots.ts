import * as z from "zod";
import { decodePicture, encodePicture } from "../../compositor/picture-file.ts";
import { RefusedError } from "../../desktop/error.ts";
import { comparePictures } from "../../imaging/compare-pictures.ts";
import { assertFresh } from "../model/coordinates.ts";
import { keptPicture } from "../tool/capture.ts";
import { connectionIdField, rectOutput } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const compareScreenshots = defineTool({
  name: "compare_screenshots",
  title: "Compare screenshots",
  description:
    "Compares two of your screenshots, or one with the desktop now: pixels that differ exactly, and to a person's eye. `bounds` " +
    "is where, in pixels of the image. Both must show the same part at the same size.",
  effect: "read",
  input: z.strictObject({
    screenshot_id: z.string().min(1).max(100),
    other_screenshot_id: z.string().min(1).max(100).optional().describe("Default: the desktop as it is now."),
    threshold: z.number().min(0).max(1).optional().describe("Of the perceptual comparison, default 0.1."),
    include_image: z.boolean().optional().describe("With the differences in red."),
    connection_id: connectionIdField,
  }),
  output: z.object({
    identical: z.boolean(),
    exact: z.object({ pixels: z.int(), share: z.number().describe("0 to 1.") }),
    perceptual: z.object({ pixels: z.int(), share: z.number() }),
    bounds: rectOutput.nullable(),
    generations: z.array(z.int()).length(2),
  }),
  async handle(args, context) {
    const { screenshots } = context.mcpState;
    const { id: principalId } = context.principal;
    const shot = screenshots.get(args.screenshot_id, principalId);
    const bytes = keptPicture(context.mcpState, shot.id, principalId);
    let other: { bytes: Uint8Array; generation: number };
    if (args.other_screenshot_id === undefined) {
      const { region, image } = shot.framing;
      const desktop = await context.readyDesktop(args.connection_id ?? shot.desktopId);
      if (image.width !== region.width || image.height !== region.height) {
        throw new RefusedError(
          "not_supported",
          `that screenshot is scaled to ${image.width}x${image.height}: only one of native size can be compared with now`,
        );
      }
      assertFresh(shot, desktop.size, desktop.sizedSince());
      other = await desktop
        .view("agent")
        .snapshot({ region, signal: context.signal, ownerId: context.principal.id });
    } else {
      const { generation } = screenshots.get(args.other_screenshot_id, principalId);
      other = { bytes: keptPicture(context.mcpState, args.other_screenshot_id, principalId), generation };
    }
    const [a, b] = await Promise.all([decodePicture(bytes), decodePicture(other.bytes)]);
    if (a.width !== b.width || a.height !== b.height) {
      throw new RefusedError(
        "invalid_parameters",
        `got images of ${a.width}x${a.height} and ${b.width}x${b.height}, expected one size`,
      );
    }
    const difference = comparePictures(a, b, args.threshold);
    const all = a.width * a.height;
    const isSame = difference.exactPixels === 0;
    const image =
      args.include_image === true
        ? { image: { bytes: await encodePicture(difference.image, "png"), mimeType: "image/png" } }
        : {};
    return {
      output: {
        identical: isSame,
        exact: { pixels: difference.exactPixels, share: difference.exactPixels / all },
        perceptual: { pixels: difference.perceptualPixels, share: difference.perceptualPixels / all },
        bounds: difference.bounds,
        generations: [shot.generation, other.generation],
      },
      text: isSame
        ? "They are identical in every pixel."
        : `${difference.exactPixels} pixels differ, ${difference.perceptualPixels} of them visibly.`,
      ...image,
    };
  },
});
