import * as z from "zod";
import { listedOutput, listedScreenshot } from "../tool/capture.ts";
import { defineTool } from "../tool/tool.ts";

const DEFAULT_LIMIT = 10;

export const listScreenshots = defineTool({
  name: "list_screenshots",
  title: "List screenshots",
  description:
    "Lists your screenshots, the newest first: those that are still kept are resources screenshots://ID.",
  effect: "read",
  input: z.strictObject({
    limit: z.int().min(1).max(500).optional().describe(`Default ${DEFAULT_LIMIT}.`),
  }),
  output: z.object({
    total: z.int(),
    screenshots: z.array(listedOutput),
  }),
  async handle(args, context) {
    const all = context.mcpState.screenshots.recent(context.principal.id);
    const screenshots = all.slice(0, args.limit ?? DEFAULT_LIMIT).map(listedScreenshot);
    const lines = screenshots.map(
      (shot) =>
        `${shot.screenshot_id}: ${shot.width}x${shot.height} of ${shot.connection_name}, ${shot.taken_at}`,
    );
    return {
      output: { total: all.length, screenshots },
      text: lines.length === 0 ? "You took no screenshot yet." : lines.join("\n"),
    };
  },
});
