import * as z from "zod";

/** The audit log: where it goes, what chains it, when it is put aside and deleted. */
export const auditSchema = z
  .strictObject({
    sink: z
      .enum(["file", "stdout", "stderr", "off"])
      .default("file")
      .describe("Where audit events go; file is audit.ndjson in the data directory."),
    key: z
      .string()
      .min(32)
      .optional()
      .describe(
        "Secret of 32 characters or more that the lines of the audit log are chained with. Without it one is made at the first start and kept in audit.key of the data directory.",
      ),
    rotate_mb: z.coerce
      .number()
      .min(0)
      .max(100_000)
      .default(100)
      .describe("audit.ndjson is put aside when it has so many MiB; 0: never."),
    rotate_days: z.coerce
      .number()
      .min(0)
      .max(36_500)
      .default(0)
      .describe("And when its first line is so old; 0: never."),
    keep_days: z.coerce
      .number()
      .min(0)
      .max(36_500)
      .default(0)
      .describe("What was put aside is deleted so long after its last line; 0: never."),
    keep_mb: z.coerce
      .number()
      .min(0)
      .default(0)
      .describe("The oldest of what was put aside is deleted while all takes more MiB; 0: never."),
  })
  .prefault({});
