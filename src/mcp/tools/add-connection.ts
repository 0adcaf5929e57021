import * as z from "zod";
import { may } from "../../auth/principal.ts";
import { connectionFields } from "../../desktop/connections/connection-fields.ts";
import { connectionWarnings } from "../../desktop/connections/connection-warnings.ts";
import { LinkError, RefusedError } from "../../desktop/error.ts";
import { connectionOutput, connectionText, describeConnection } from "../tool/connection-output.ts";
import { LISTED_AS } from "../tool/fields.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { defineTool } from "../tool/tool.ts";

/** A handshake and a first picture take less, where all is well. */
const FIRST_PICTURE_MS = 5000;

export const addConnection = defineTool({
  name: "add_connection",
  title: "Add connection",
  description:
    "Adds a VNC, KasmVNC or RDP host as a desktop and connects to it. A human is asked first, unless the configuration allows " +
    "the address. The password goes only to that host and is never shown again.",
  effect: "admin",
  hints: { openWorldHint: true },
  input: z.strictObject({
    ...connectionFields,
    name: connectionFields.name.unwrap(),
    security: connectionFields.security.meta(LISTED_AS.never),
    http_username: connectionFields.http_username.meta(LISTED_AS.never),
    http_password: connectionFields.http_password.meta(LISTED_AS.never),
    http_headers: connectionFields.http_headers.meta(LISTED_AS.never),
    encodings: connectionFields.encodings.meta(LISTED_AS.never),
    host: connectionFields.host.meta(LISTED_AS.bare),
    transport: connectionFields.transport.meta(LISTED_AS.bare),
    path: connectionFields.path.meta(LISTED_AS.bare),
    repeater_id: connectionFields.repeater_id.meta(LISTED_AS.bare),
    rdp: connectionFields.rdp.meta(LISTED_AS.outline),
  }),
  output: z.object({
    success: z.boolean(),
    connection: connectionOutput,
    warnings: z.array(z.string()),
    errors: z
      .array(z.string())
      .describe("Why it is not live, code first, as far as that is known within 5 s; it is tried again."),
  }),
  async handle(args, context) {
    const mayAdd = may(context.principal, "connections");
    if (!mayAdd && (args.transport === "unix" || args.transport === "reverse")) {
      throw new RefusedError(
        "permission_denied",
        `got the transport ${args.transport}, which is about this very machine: only an admin's token may add it`,
      );
    }
    const desktop = mayAdd
      ? await context.desktops.add(args, context.actor)
      : await context.desktops.propose(args, context.actor, context.signal);
    const warnings = connectionWarnings(desktop.connection);
    const errors = await errorsOf(desktop, context.signal);
    const connection = describeConnection(desktop, context.desktops, context.principal.id);
    return {
      output: { success: true, connection, warnings, errors },
      text: [
        `Added ${connectionText(connection)}.`,
        ...errors.map((error) => `It is not live: ${error}.`),
        ...warnings.map((warning) => `Note: ${warning}.`),
      ].join(" "),
    };
  },
});

/** Why its first try gave no picture; empty where it did. It was added, whatever the reason. */
async function errorsOf(desktop: McpDesktop, signal: AbortSignal): Promise<string[]> {
  const lost = new AbortController();
  const look = (): void => {
    if (desktop.state.kind === "reconnecting") lost.abort();
  };
  const off = desktop.on(look);
  look();
  try {
    await desktop.whenReady(FIRST_PICTURE_MS, AbortSignal.any([signal, lost.signal]));
    return [];
  } catch (cause) {
    const error = desktop.state.kind === "reconnecting" ? desktop.state.error : cause;
    if (!(error instanceof LinkError || error instanceof RefusedError)) throw error;
    return [`${error.code}: ${error.message}`];
  } finally {
    off();
  }
}
