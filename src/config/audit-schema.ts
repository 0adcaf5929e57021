import * as z from "zod";
import { AUDIT_REQUESTS } from "../audit/audit-event.ts";
import { AUDIT_FORMATS } from "../audit/forward/http-receiver.ts";
import { REDACT_FIELDS } from "../audit/redact.ts";
import { list } from "./config-values.ts";

const httpUrl = z.url({
  protocol: /^https?$/,
  error: "expected a URL such as https://siem.example.com/ingest",
});
const label = z.string().min(1).max(128).optional();
/** Also as JSON in one string. */
const redactFields = z.preprocess(
  (value) => {
    const isJson = typeof value === "string" && value.trimStart().startsWith("[");
    return isJson ? jsonOr(value) : value;
  },
  list.pipe(z.array(z.enum(REDACT_FIELDS))),
);
const apiKey = z.string().min(1).optional();

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
    delivery: z
      .enum(["best_effort", "enforced"])
      .default("best_effort")
      .describe(
        "When more than spool_mb waits for a receiver: best_effort passes over the oldest and counts it, enforced refuses what would have to be told.",
      ),
    spool_mb: z.coerce
      .number()
      .min(0.001)
      .max(1_000_000)
      .default(1024)
      .describe("MiB of the audit log that may wait for each receiver."),
    deployment: label.describe("What each event says of which installation it is, such as production."),
    tenant: label.describe("And of whose it is, where one log holds those of several."),
    requests: z
      .enum(AUDIT_REQUESTS)
      .default("off")
      .describe(
        "Which HTTP requests are told one by one, as they begin (http.request) and as they are answered (http.response): off, changes (whatever is no GET, without MCP, whose calls have events of their own) or all.",
      ),
    redact_fields: redactFields
      .default([])
      .describe(
        `What each event leaves out, of ${REDACT_FIELDS.join(", ")}; the last three are never in the log.`,
      ),
    http: z
      .strictObject({
        endpoint: httpUrl
          .optional()
          .describe("Where the audit log is sent besides, as NDJSON by POST; needs the sink file."),
        api_key: apiKey.describe("Bearer token for it."),
        format: z
          .enum(AUDIT_FORMATS)
          .default("native")
          .describe(
            "How events are written there: native (as in the log), ecs (Elastic Common Schema 8.11) or ocsf (1.3.0).",
          ),
      })
      .prefault({}),
    otlp: z
      .strictObject({
        endpoint: httpUrl
          .optional()
          .describe(
            "OTLP collector that the audit log is sent to besides, JSON over HTTP; needs the sink file.",
          ),
        api_key: apiKey.describe("Bearer token for it."),
      })
      .prefault({}),
    syslog: z
      .strictObject({
        endpoint: z
          .url({ protocol: /^(tcp|tls)$/, error: "expected a URL such as tls://logs.example.com:6514" })
          .optional()
          .describe(
            "Syslog server that the audit log is sent to besides (RFC 5424), tcp://HOST:PORT or tls://HOST:PORT; needs the sink file.",
          ),
        ca: z
          .string()
          .min(1)
          .optional()
          .describe("PEM file of the authorities that its certificate is checked against."),
      })
      .prefault({}),
  })
  .prefault({});

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
