import * as z from "zod";
import { toggle } from "./config-values.ts";

/** S3-compatible storage that finished recordings are copied to. */
export const archiveSchema = z
  .strictObject({
    endpoint: z
      .url({ protocol: /^https?$/, error: "expected a URL such as https://s3.example.com" })
      .refine(
        (url) => /^\/*$/.test(new URL(url).pathname),
        "expected a URL without a path, such as https://s3.example.com",
      )
      .transform((url) => url.replace(/\/+$/, ""))
      .optional()
      .describe(
        "S3-compatible storage that each finished recording is copied to; off without it. Link-local addresses, targets.deny and our own ports are refused.",
      ),
    bucket: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        "expected the name of a bucket: 3 to 63 of a-z, 0-9, . and -",
      )
      .optional()
      .describe("The bucket there; it is not made."),
    prefix: z
      .string()
      .max(200)
      .regex(/^([\w.-]+(\/[\w.-]+)*\/?)?$/, "expected folders of letters, digits, _, . and -, separated by /")
      .transform((prefix) => prefix.replace(/\/$/, ""))
      .default("recordings")
      .describe(
        "What the names of all objects begin with: PREFIX/ID/FILE. Each server needs one of its own.",
      ),
    region: z
      .string()
      .min(1)
      .max(100)
      .default("us-east-1")
      .describe("The region that requests are signed for."),
    path_style: toggle
      .default(true)
      .describe(
        "on: the bucket stands in the path, off: before the name of the host, as bucket.s3.example.com.",
      ),
    access_key: z.string().min(1).max(500).optional().describe("The id of the access key."),
    secret_key: z.string().min(1).max(500).optional().describe("Its secret."),
    cache_mb: z.coerce
      .number()
      .int()
      .min(0)
      .default(0)
      .describe(
        "While all recordings here take more MiB, the files of the oldest that the storage surely has are deleted here and read there; 0: never.",
      ),
    lock_days: z.coerce
      .number()
      .min(0)
      .max(36_500)
      .default(0)
      .describe(
        "So long nobody can delete or change what was stored there (Object Lock, which the bucket has to be made with); 0: nothing is locked.",
      ),
    lock_mode: z
      .enum(["compliance", "governance"])
      .default("compliance")
      .describe("compliance: nobody at all; governance: only who has the storage's right to bypass it."),
    audit: toggle
      .default(false)
      .describe(
        "on: files of the audit log that were put aside go there too, as PREFIX/audit/FILE, and are deleted here only once the storage surely has them; needs the audit sink file.",
      ),
    ca: z
      .string()
      .min(1)
      .optional()
      .describe("PEM file of the authorities that the storage's certificate is checked against."),
  })
  .prefault({})
  .superRefine((archive, context) => {
    if (archive.endpoint === undefined) {
      if (archive.audit) {
        context.addIssue({ code: "custom", path: ["endpoint"], message: "expected one, as audit is on" });
      }
      return;
    }
    for (const key of ["bucket", "access_key", "secret_key"] as const) {
      if (archive[key] === undefined) {
        context.addIssue({ code: "custom", path: [key], message: "expected one, as endpoint is given" });
      }
    }
  });
