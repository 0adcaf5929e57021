import * as z from "zod";
import { may } from "../../auth/principal.ts";
import { rdpFields, rdpWishesOf } from "../../desktop/connections/rdp-fields.ts";
import { transportFields, wayOf } from "../../desktop/connections/transport-fields.ts";
import { RefusedError } from "../../desktop/error.ts";
import { SECURITY_NAMES } from "../../protocols/rfb/security/policy.ts";
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
    name: z.string().min(1).max(100),
    host: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Name or IP address; not for the transports unix and reverse."),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe("Default 5900 for vnc, 6901 for kasmvnc, 3389 for rdp."),
    protocol: z.enum(["vnc", "kasmvnc", "rdp"]),
    username: z
      .string()
      .max(1024)
      .optional()
      .describe("For rdp needed; DOMAIN\\user for an account of a domain."),
    password: z.string().max(1024).optional(),
    security: z
      .array(z.enum(SECURITY_NAMES))
      .min(1)
      .optional()
      .meta(LISTED_AS.never)
      .describe(
        "For vnc: the only ways to sign in, the best first. Default: what authenticates, never a password in clear.",
      ),
    fingerprint: z
      .string()
      .max(95)
      .optional()
      .describe("SHA-256 of the server's certificate or key, in hex."),
    ...transportFields,
    http_headers: transportFields.http_headers.meta(LISTED_AS.never),
    encodings: transportFields.encodings.meta(LISTED_AS.never),
    rdp: rdpFields.rdp.meta(LISTED_AS.outline),
  }),
  output: z.object({
    success: z.boolean(),
    connection: connectionOutput,
    warnings: z.array(z.string()),
    errors: z.array(z.string()),
  }),
  async handle(args, context) {
    const input = {
      name: args.name,
      ...(args.host === undefined ? {} : { host: args.host }),
      protocol: args.protocol,
      ...(args.port === undefined ? {} : { port: args.port }),
      ...(args.username === undefined ? {} : { username: args.username }),
      ...(args.password === undefined ? {} : { password: args.password }),
      ...(args.security === undefined ? {} : { security: args.security }),
      ...(args.fingerprint === undefined ? {} : { fingerprint: args.fingerprint }),
      ...wayOf(args),
      ...rdpWishesOf(args),
    };
    const mayAdd = may(context.principal, "connections");
    if (!mayAdd && (args.transport === "unix" || args.transport === "reverse")) {
      throw new RefusedError(
        "permission_denied",
        `got the transport ${args.transport}, which is about this very machine: only an admin's token may add it`,
      );
    }
    const desktop = mayAdd
      ? await context.desktops.add(input, context.actor)
      : await context.desktops.propose(input, context.actor, context.signal);
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
