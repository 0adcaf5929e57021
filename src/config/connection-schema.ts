import * as z from "zod";
import { PROTOCOLS } from "../desktop/connections/connection.ts";
import { DECODING } from "../desktop/connections/decoding.ts";
import { rdpFields } from "../desktop/connections/rdp-fields.ts";
import { transportFields } from "../desktop/connections/transport-fields.ts";
import { readFingerprint } from "../desktop/connections/trust-policy.ts";
import { SECURITY_NAMES } from "../protocols/rfb/security/policy.ts";

const connectionName = z.string().min(1).max(100).optional().describe("What people and agents read.");

/** A desktop of the file: a URL, or field by field. */
export const connectionSchema = z.union([
  z.strictObject({
    url: z.string().describe("As --connect takes it."),
    name: connectionName,
  }),
  z.strictObject({
    name: connectionName,
    protocol: z.enum(PROTOCOLS),
    host: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Name or address; not needed for the transports unix and reverse."),
    port: z.coerce
      .number()
      .int()
      .min(0)
      .max(65535)
      .optional()
      .describe("Default 5900 for vnc, 6901 for kasmvnc, 3389 for rdp."),
    username: z.string().max(1024).optional(),
    password: z.string().max(1024).optional(),
    password_file: z.string().optional().describe("Instead of the password: a file that holds it."),
    security: z
      .array(z.enum(SECURITY_NAMES))
      .min(1)
      .optional()
      .describe("For vnc: the only ways to sign in, the best first, such as X509Vnc."),
    fingerprint: z
      .string()
      .refine((text) => readFingerprint(text) !== null, "expected the 64 hex digits of a SHA-256")
      .optional()
      .describe("SHA-256 of the certificate or key that alone is believed, hex."),
    ...transportFields,
    ...rdpFields,
    decoding: z
      .enum(DECODING)
      .optional()
      .describe(
        "The thread that decodes the picture of a VNC or KasmVNC server: auto (default) and main are the main thread, worker is one of its own. RDP hosts always have one, servers that connect by themselves never.",
      ),
  }),
]);
