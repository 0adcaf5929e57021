import * as z from "zod";
import { connectionOutput, describeConnection, requiredConnectionId } from "../tool/connection-output.ts";
import { defineTool } from "../tool/tool.ts";

export const testConnection = defineTool({
  name: "test_connection",
  title: "Test connection",
  description:
    "Connects to a configured host anew, logs in, and says step by step how far it got. The live desktop is not disturbed.",
  effect: "read",
  isForeign: true,
  rate: "connection_test",
  hints: { openWorldHint: true },
  input: z.strictObject({ connection_id: requiredConnectionId }),
  output: z.object({
    success: z.boolean(),
    connection: connectionOutput,
    message: z.string(),
    steps: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
    last_connected: z.string().nullable(),
  }),
  async handle(args, context) {
    const { desktops, principal, actor } = context;
    const desktop = desktops.get(args.connection_id);
    const report = await desktops.test(desktop.connection, actor);
    const steps = report.steps.map(({ name, ok, detail }) => ({ name, ok, detail }));
    const lines = steps.map(({ name, ok, detail }) => `${ok ? "ok" : "failed"}: ${name}. ${detail}`);
    return {
      output: {
        success: report.success,
        connection: describeConnection(desktop, desktops, principal.id),
        message: report.message,
        steps,
        last_connected: desktops.lastConnected(desktop.id),
      },
      text: [report.message, ...lines].join("\n"),
    };
  },
});
