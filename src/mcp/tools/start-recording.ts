import * as z from "zod";
import { connectionIdField } from "../fields.ts";
import { recordingOutput, recordingOutputOf } from "../recordings.ts";
import { defineTool } from "../tool.ts";

export const startRecording = defineTool({
  name: "start_recording",
  title: "Start recording",
  description:
    "Records the desktop from now on: every pixel, every action with its effect, approvals and overlays; never typed text. " +
    "People see that it is recorded. The recording_id is for stop_recording, get_frame_at and search_recording. A recording " +
    "that runs already goes on, and is answered.",
  effect: "admin",
  hints: { idempotentHint: true },
  input: z.strictObject({ connection_id: connectionIdField }),
  output: recordingOutput.extend({
    is_new: z.boolean().describe("false: it ran already, begun by somebody else or earlier."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const { recording, isNew } = await context.recordings.start(desktop.id);
    return {
      output: { ...recordingOutputOf(recording), is_new: isNew },
      text: isNew
        ? `Recording ${desktop.name} as ${recording.id}.`
        : `${desktop.name} is recorded already, as ${recording.id}, begun by ${recording.startedBy}.`,
    };
  },
});
