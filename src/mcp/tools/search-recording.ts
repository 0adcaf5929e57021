import * as z from "zod";
import { recordingIdField } from "../tool/recordings.ts";
import { defineTool } from "../tool/tool.ts";

/** A recording's own limit: what came after that is not searched. */
const MOST_HITS = 200;

export const searchRecording = defineTool({
  name: "search_recording",
  title: "Search a recording",
  description:
    "Finds when something happened in a recording: actions and why, approvals, mode changes, words of overlays, bookmarks, " +
    "lost connections. Typed text is not recorded.",
  effect: "read",
  input: z.strictObject({
    recording_id: recordingIdField,
    query: z.string().trim().min(1).max(200).describe("One or more words, in any case."),
  }),
  output: z.object({
    recording_id: z.string(),
    total: z.int().describe("Of `hits`."),
    more: z.boolean().describe("true: only the first hits are given; more words find fewer."),
    hits: z.array(
      z.object({
        at_ms: z.number().describe("For get_frame_at."),
        kind: z.string().describe("What it is: action, approval, bookmark, …"),
        text: z.string(),
      }),
    ),
  }),
  async handle(args, context) {
    const found = await context.recordings.read(args.recording_id, (reader) => reader.search(args.query));
    const isCut = found.length >= MOST_HITS;
    const hits = found.map(({ atMs, entry, text }) => ({ at_ms: atMs, kind: entry.type, text }));
    const lines = hits.map(({ at_ms, kind, text }) => `${(at_ms / 1000).toFixed(1)} s, ${kind}: ${text}`);
    return {
      output: { recording_id: args.recording_id, total: hits.length, more: isCut, hits },
      text:
        lines.length === 0
          ? "Nothing in the recording has these words."
          : [...lines, ...(isCut ? ["These are the first; more words find fewer."] : [])].join("\n"),
    };
  },
});
