import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import * as z from "zod";

const PROTOS = fileURLToPath(new URL(".", import.meta.url));
const SERVICES = {
  "/v1/traces": ["trace/v1/trace_service", "trace.v1.ExportTraceServiceRequest"],
  "/v1/metrics": ["metrics/v1/metrics_service", "metrics.v1.ExportMetricsServiceRequest"],
} as const;

const attributes = z
  .array(
    z.object({
      key: z.string(),
      value: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
  )
  .default([])
  .transform((pairs) =>
    Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0] ?? null])),
  );
const resource = z.object({ attributes }).optional();
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  name: z.string(),
  kind: z.union([z.string(), z.number()]),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  status: z.object({ code: z.union([z.string(), z.number()]).optional() }).optional(),
});
const point = z.object({
  attributes,
  asDouble: z.number().optional(),
  count: z.coerce.number().optional(),
  sum: z.number().optional(),
  bucketCounts: z.array(z.coerce.number()).optional(),
  explicitBounds: z.array(z.number()).optional(),
});
const points = z.object({ dataPoints: z.array(point).default([]) }).optional();
const metricSchema = z.object({
  name: z.string(),
  unit: z.string().default(""),
  gauge: points,
  sum: points,
  histogram: points,
});
const tracesSchema = z.object({
  resourceSpans: z
    .array(z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(spanSchema).default([]) })) }))
    .default([]),
});
const metricsSchema = z.object({
  resourceMetrics: z
    .array(
      z.object({ resource, scopeMetrics: z.array(z.object({ metrics: z.array(metricSchema).default([]) })) }),
    )
    .default([]),
});

export type ReceivedSpan = z.infer<typeof spanSchema>;
export type ReceivedMetric = z.infer<typeof metricSchema>;

/** A collector of OTLP over HTTP on loopback, that reads by the published definitions. */
export class OtlpCollector {
  readonly spans: ReceivedSpan[] = [];
  /** As they were sent last, by name. */
  readonly metrics = new Map<string, ReceivedMetric>();
  /** Of who sent last. */
  resource: Record<string, unknown> = {};
  /** Every body that came, as it was. */
  readonly bodies: Buffer[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  /** What it answers. */
  status = 200;
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  static async open(owner: { teardown(end: () => void): void }): Promise<OtlpCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
    const collector = new OtlpCollector(`http://127.0.0.1:${address.port}`);
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.statusCode = collector.status;
        if (collector.status === 200) collector.#take(request, Buffer.concat(chunks));
        response.end();
      });
    });
    owner.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return collector;
  }

  #take({ url = "", headers }: IncomingMessage, body: Buffer): void {
    this.bodies.push(body);
    this.headers.push(headers);
    const message =
      headers["content-type"] === "application/json" ? JSON.parse(body.toString()) : decode(url, body);
    if (url === "/v1/traces") {
      for (const { resource, scopeSpans } of tracesSchema.parse(message).resourceSpans) {
        this.resource = resource?.attributes ?? {};
        this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
      }
      return;
    }
    for (const { resource, scopeMetrics } of metricsSchema.parse(message).resourceMetrics) {
      this.resource = resource?.attributes ?? {};
      for (const { metrics } of scopeMetrics)
        for (const metric of metrics) this.metrics.set(metric.name, metric);
    }
  }
}

/** Throws for what is not that message, and for another address. */
function decode(url: string, body: Buffer): unknown {
  if (url !== "/v1/traces" && url !== "/v1/metrics") throw new Error(`no service of OTLP: ${url}`);
  const [file, type] = SERVICES[url];
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(PROTOS, target);
  root.loadSync(`opentelemetry/proto/collector/${file}.proto`);
  const message = root.lookupType(`opentelemetry.proto.collector.${type}`);
  const told = message.toObject(message.decode(body), { longs: String, enums: String, bytes: Array });
  return withHexIds(told);
}

/** Ids are bytes on the wire and hex in OTLP's JSON. */
function withHexIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withHexIds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      /^(traceId|spanId|parentSpanId)$/.test(name) ? Buffer.from(inner).toString("hex") : withHexIds(inner),
    ]),
  );
}
