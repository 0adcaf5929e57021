import * as z from "zod";
import { PROTOCOLS } from "../desktop/connections/connection.ts";
import { allConnectionFields, connectionFields } from "../desktop/connections/connection-fields.ts";

/** A desktop of the file: a URL, or field by field. */
export const connectionSchema = z.union([
  z.strictObject({
    url: z.string().describe("As --connect takes it."),
    name: connectionFields.name,
  }),
  z.strictObject({
    ...allConnectionFields,
    protocol: z.enum(PROTOCOLS),
    port: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .exactOptional()
      .describe(connectionFields.port.description ?? ""),
    password_file: z.string().exactOptional().describe("Instead of the password: a file that holds it."),
  }),
]);
