import * as z from "zod";
import {
  describeScreenshot,
  imageOf,
  keepScreenshot,
  STALE_TEXT,
  screenshotOutput,
} from "../tool/capture.ts";
import { mapperFor, spaceFields } from "../tool/coordinate-mapper.ts";
import { connectionIdField, rectInput } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const zoom = defineTool({
  name: "zoom",
  title: "Zoom",
  description:
    "Shows a part of the desktop in its own exact pixels, for text too small to read. Later coordinates refer to it only with " +
    "its screenshot_id.",
  effect: "read",
  rate: "screenshot",
  input: z.strictObject({ region: rectInput, ...spaceFields, connection_id: connectionIdField }),
  output: screenshotOutput.extend({
    stale: z.boolean().describe("true: the target is down and this is the last picture it sent."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const region = mapperFor(args, desktop, context).rect(args.region);
    const snapshot = await desktop
      .view("agent")
      .snapshot({ region, signal: context.signal, ownerId: context.principal.id });
    const kept = keepScreenshot(context, desktop, snapshot, "detail");
    return {
      output: { ...describeScreenshot(kept), stale: snapshot.isStale },
      text: `${region.width}x${region.height} at ${region.x},${region.y}, pixel for pixel. screenshot_id ${kept.id}.${snapshot.isStale ? ` ${STALE_TEXT}` : ""}`,
      image: imageOf(snapshot),
      area: region,
    };
  },
});
