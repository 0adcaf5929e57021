import * as z from "zod";
import { connectionIdField } from "../tool/fields.ts";
import { recordingOutput, recordingOutputOf } from "../tool/recordings.ts";
import { defineTool } from "../tool/tool.ts";

export const startRecording = defineTool({
  name: "start_recording",
  title: "Start recording",
  description:
    "Records the desktop from now on: pixels, actions, approvals and overlays; never typed text. People see it. A recording that " +
    "runs already goes on, and is answered.",
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
