import * as z from "zod";
import { PROTOCOLS } from "../desktop/connections/connection.ts";
import { allConnectionFields, connectionFields } from "../desktop/connections/connection-fields.ts";
import { commandLine } from "./config-values.ts";

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
    password_env: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, "expected the name of an environment variable")
      .exactOptional()
      .describe("Instead of the password: the environment variable that holds it."),
    password_command: commandLine
      .exactOptional()
      .describe(
        "Instead of the password: a program and its arguments that print it, run at each start, without a shell, for 10 s at most.",
      ),
  }),
]);
