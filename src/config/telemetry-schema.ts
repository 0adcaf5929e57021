import * as z from "zod";
import { TELEMETRY_PROTOCOLS, TELEMETRY_SAMPLERS } from "../monitoring/telemetry.ts";

const endpoint = z
  .url({ protocol: /^https?$/, error: "expected a URL such as http://127.0.0.1:4318" })
  .optional();
/** As OpenTelemetry writes lists of pairs: KEY=VALUE,KEY=VALUE, percent-encoded. */
const pairs = z.string().transform((text, context) => {
  const read: Record<string, string> = {};
  for (const part of text.split(",").filter((pair) => pair.trim() !== "")) {
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim();
    try {
      if (at > 0 && name !== "") read[name] = decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      // Told below, as what has no "=".
    }
    if (read[name] === undefined) {
      // What was got may be a secret.
      context.addIssue("expected KEY=VALUE pairs separated by commas, with %2C for a comma in a value");
      return z.NEVER;
    }
  }
  return read;
});
const exporter = z.enum(["otlp", "none"]).default("otlp");

/** OpenTelemetry: nothing of it is loaded without an endpoint. */
export const telemetrySchema = z
  .strictObject({
    disabled: z
      .union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"] })], "expected true or false")
      .default(false)
      .describe("true sends nothing and loads nothing, whatever else is set."),
    endpoint: endpoint.describe(
      "OTLP collector that traces and metrics are sent to over HTTP; /v1/traces and /v1/metrics are added. Off without it.",
    ),
    traces_endpoint: endpoint.describe(
      "The address for traces as it stands, where they have one of their own.",
    ),
    metrics_endpoint: endpoint.describe("And for metrics."),
    headers: pairs
      .optional()
      .describe("Headers for the collector, such as a credential: KEY=VALUE,KEY=VALUE, percent-encoded."),
    protocol: z.enum(TELEMETRY_PROTOCOLS).default("http/protobuf").describe("How both are written."),
    traces: exporter.describe("none: no traces are made."),
    metrics: exporter.describe("none: no metrics are sent."),
    sampler: z
      .enum(TELEMETRY_SAMPLERS)
      .default("parentbased_always_on")
      .describe("Which traces are kept; parentbased: what the caller's own trace says, else as named."),
    sampler_arg: z.coerce
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe("Which part of the traces a sampler by ratio keeps, 0 to 1."),
    service_name: z.string().min(1).max(255).default("overlay-companion").describe("service.name of both."),
    resource_attributes: pairs
      .optional()
      .describe("More of who sends it, such as deployment.environment.name=production."),
    metric_interval_ms: z.coerce
      .number()
      .int()
      .min(1000)
      .max(86_400_000)
      .default(60_000)
      .describe("Metrics are sent so often."),
  })
  .prefault({});
