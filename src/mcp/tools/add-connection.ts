import * as z from "zod";
import { may } from "../../auth/principal.ts";
import { connectionFields } from "../../desktop/connections/connection-fields.ts";
import { RefusedError } from "../../desktop/error.ts";
import { connectionOutput, connectionText, describeConnection } from "../tool/connection-output.ts";
import { LISTED_AS } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

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
    http_headers: connectionFields.http_headers.meta(LISTED_AS.never),
    encodings: connectionFields.encodings.meta(LISTED_AS.never),
    rdp: connectionFields.rdp.meta(LISTED_AS.outline),
  }),
  output: z.object({
    success: z.boolean(),
    connection: connectionOutput,
    warnings: z.array(z.string()),
    errors: z.array(z.string()),
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
    const warnings: string[] = [];
    if (args.password === undefined || args.password === "") {
      warnings.push("no password was given: this works only where the server asks for none");
    } else if (args.protocol === "vnc" && args.username === undefined && args.password.length > 8) {
      // VncAuth keys DES with 8 bytes (RFC 6143 section 7.2.2).
      warnings.push("classic VNC authentication uses only the first 8 characters of a password");
    }
    if (args.protocol === "kasmvnc" && (args.username ?? "") === "") {
      warnings.push("no user name was given: KasmVNC asks for one unless its basic authentication is off");
    }
    const connection = describeConnection(desktop, context.desktops, context.principal.id);
    return {
      output: { success: true, connection, warnings, errors: [] },
      text: [`Added ${connectionText(connection)}.`, ...warnings.map((warning) => `Note: ${warning}.`)].join(
        " ",
      ),
    };
  },
});
