import * as z from "zod";
import {
  connectionOutput,
  connectionText,
  describeConnection,
  PROTOCOL_NOTES,
} from "../tool/connection-output.ts";
import { defineTool } from "../tool/tool.ts";

export const listConnections = defineTool({
  name: "list_connections",
  title: "List connections",
  description: "Lists the desktops you can use, their state and which one is active for you.",
  effect: "read",
  isForeign: true,
  input: z.strictObject({}),
  output: z.object({
    success: z.boolean(),
    total_connections: z.int(),
    connections: z.array(connectionOutput),
    protocol_recommendations: z.record(z.string(), z.string()),
  }),
  async handle(_args, context) {
    const { desktops, principal } = context;
    const connections = desktops.all.map((desktop) => describeConnection(desktop, desktops, principal.id));
    return {
      output: {
        success: true,
        total_connections: connections.length,
        connections,
        protocol_recommendations: PROTOCOL_NOTES,
      },
      text:
        connections.length === 0
          ? "There is no connection yet. Add one with add_connection, or ask the human to."
          : connections.map(connectionText).join("\n"),
    };
  },
});
