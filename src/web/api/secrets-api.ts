import * as z from "zod";
import { secretRuleFields, secretValueSchema, totpSeedSchema } from "../../auth/secrets/secret-fields.ts";

const rectSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });

/** A secret as `GET /api/v1/secrets` lists it: its rules, never its value. */
export const secretInfoSchema = z.object({
  name: z.string(),
  /** secret: a value; totp: one-time codes. */
  kind: z.enum(["secret", "totp"]),
  desktops: z.array(z.string()),
  agents: z.array(z.string()),
  seen: z
    .object({
      text: z.string().nullable(),
      picture: z.string().nullable().describe("A PNG in base64."),
      region: rectSchema.nullable().describe("Desktop pixels; null: anywhere."),
      field: rectSchema
        .nullable()
        .describe("Where the field is, from the corner of what is seen; null: anywhere."),
    })
    .nullable(),
  /** Only the configuration changes it. */
  is_configured: z.boolean(),
  created_at: z.iso.datetime().nullable(),
  changed_at: z.iso.datetime().nullable(),
  /** To the minute; null for never. */
  last_used_at: z.iso.datetime().nullable(),
});
export type SecretDetails = z.infer<typeof secretInfoSchema>;

/** `PUT /api/v1/secrets/NAME`: `value` or `totp`; without both, other rules for what is kept. */
export const secretBodySchema = z
  .strictObject({
    value: secretValueSchema.exactOptional(),
    totp: totpSeedSchema.exactOptional(),
    ...secretRuleFields,
  })
  .refine(({ value, totp }) => value === undefined || totp === undefined, "expected value or totp, not both");
export type SecretBody = z.input<typeof secretBodySchema>;
