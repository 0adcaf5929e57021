import * as z from "zod";
import { recordingIdField, recordingOutput, recordingOutputOf } from "../tool/recordings.ts";
import { defineTool } from "../tool/tool.ts";

export const stopRecording = defineTool({
  name: "stop_recording",
  title: "Stop recording",
  description:
    "Ends and seals a recording that you started; those of people or of a policy are theirs to end.",
  effect: "admin",
  hints: { destructiveHint: false },
  input: z.strictObject({ recording_id: recordingIdField }),
  output: recordingOutput,
  async handle(args, context) {
    const recording = await context.recordings.stop(args.recording_id);
    return {
      output: recordingOutputOf(recording),
      text: `Stopped ${recording.id} after ${(recording.durationMs / 1000).toFixed(1)} s, ${recording.state}.`,
    };
  },
});
