import * as z from "zod";
import { commandLine } from "./config-values.ts";

/** By what the data folder's own key is sealed. */
export const sealingSchema = z
  .strictObject({
    key: z
      .string()
      .min(32)
      .max(4096)
      .optional()
      .describe(
        "Seals secret.key, the key of stored passwords, secrets, sign-ins and encrypted recordings: 32 random characters or more, such as `openssl rand -base64 32` prints. Without it, or sealing.command, secret.key lies in the data directory as it is.",
      ),
    command: commandLine
      .optional()
      .describe(
        "A program and its arguments that print this key, such as a client of a key manager; run at each start, without a shell, for 10 s at most.",
      ),
  })
  .refine(({ key, command }) => key === undefined || command === undefined, {
    path: ["command"],
    error: "got sealing.key and sealing.command, expected one of them",
  })
  .prefault({});
