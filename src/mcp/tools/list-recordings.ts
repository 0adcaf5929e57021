import * as z from "zod";
import { recordingOutput, recordingOutputOf } from "../tool/recordings.ts";
import { defineTool } from "../tool/tool.ts";

const DEFAULT_LIMIT = 20;

export const listRecordings = defineTool({
  name: "list_recordings",
  title: "List recordings",
  description: "Lists recordings, the newest first: with an agent's token those that it started, else all.",
  effect: "read",
  isForeign: true,
  input: z.strictObject({
    limit: z.int().min(1).max(500).optional().describe(`Default ${DEFAULT_LIMIT}.`),
  }),
  output: z.object({ total: z.int(), recordings: z.array(recordingOutput) }),
  async handle(args, context) {
    const all = await context.recordings.list();
    const recordings = all.slice(0, args.limit ?? DEFAULT_LIMIT).map(recordingOutputOf);
    const lines = recordings.map(
      (one) =>
        `${one.recording_id}: ${one.connection_name}, ${one.started_at}, ${Math.round(one.duration_ms / 1000)} s, ${one.state}`,
    );
    return {
      output: { total: all.length, recordings },
      text: lines.length === 0 ? "There is no recording yet." : lines.join("\n"),
    };
  },
});
