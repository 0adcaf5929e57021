import * as z from "zod";
import { secretNameSchema, secretRuleFields } from "../auth/secrets/secret-fields.ts";

/** Secrets that others put into files, as container platforms do. */
export const secretsSchema = z
  .array(
    z
      .strictObject({
        name: secretNameSchema.describe("What agents write: {{secret:NAME}}, {{totp:NAME}}."),
        value_file: z.string().min(1).exactOptional().describe("A file that holds the value."),
        totp_file: z
          .string()
          .min(1)
          .exactOptional()
          .describe("A file that holds the seed of one-time codes: base32, or otpauth://totp/."),
        ...secretRuleFields,
      })
      .refine(
        ({ value_file, totp_file }) => (value_file === undefined) !== (totp_file === undefined),
        "expected value_file or totp_file",
      ),
  )
  .max(200)
  .refine(
    (secrets) => new Set(secrets.map(({ name }) => name)).size === secrets.length,
    "expected each name once",
  )
  .default([])
  .describe(
    "Secrets that agents may have typed by name, each with name, value_file or totp_file (read when it is typed), desktops, agents and seen. Others are made by REST and by `secret add`.",
  );
