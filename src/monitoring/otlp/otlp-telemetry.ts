import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type Histogram,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type {
  Telemetry,
  TelemetryAddresses,
  TelemetryOptions,
  TelemetryPorts,
  TracedApproval,
  TracedCall,
  TracedLink,
  TracedResult,
} from "../telemetry.ts";
import { MetricFamilies } from "./metric-families.ts";
import { OtlpMetrics, OtlpSender, OtlpSpans } from "./otlp-exporter.ts";

const SCOPE = "overlay-companion";
const METHOD = "tools/call";
/** Of the semantic conventions for MCP, "Metric: mcp.server.operation.duration", in seconds. */
const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const CLOSE_WITHIN_MS = 2000;

/**
 * Spans and metrics by OpenTelemetry's semantic conventions for MCP, of August 2026. What an agent gave or was given is in
 * none of them, nor are names of people, addresses of targets or messages of errors: ids, codes and times alone.
 */
export class OtlpTelemetry implements Telemetry {
  readonly #ports: TelemetryPorts;
  readonly #tracer: Tracer | null = null;
  readonly #duration: Histogram | null = null;
  readonly #providers: (TracerProvider | MeterProvider)[] = [];
  readonly #current = new AsyncLocalStorage<Span>();
  readonly #calls = new Map<string, Span>();
  readonly #approvals = new Map<string, Span>();
  readonly #links = new Map<string, Span>();

  constructor(options: TelemetryOptions, { traces, metrics }: TelemetryAddresses, ports: TelemetryPorts) {
    this.#ports = ports;
    const resource = resourceFromAttributes({
      ...options.resource_attributes,
      "service.name": options.service_name,
      "service.version": ports.version,
    });
    if (traces !== null) {
      const exporter = new OtlpSpans(new OtlpSender(traces, options, ports), options.protocol);
      const provider = new TracerProvider({
        ...{ resource, sampler: samplerOf(options) },
        spanProcessors: [new BatchSpanProcessor({ exporter })],
      });
      this.#providers.push(provider);
      this.#tracer = provider.getTracer(SCOPE, ports.version);
    }
    if (metrics !== null) {
      const exporter = new OtlpMetrics(new OtlpSender(metrics, options, ports), options.protocol);
      const reader = new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: options.metric_interval_ms,
        exportTimeoutMillis: Math.min(options.metric_interval_ms, 30_000),
        metricProducers: [new MetricFamilies(ports, resource)],
      });
      const provider = new MeterProvider({ resource, readers: [reader] });
      this.#providers.push(provider);
      this.#duration = provider
        .getMeter(SCOPE, ports.version)
        .createHistogram("mcp.server.operation.duration", {
          description: "How long requests of MCP took, with what they waited for people.",
          unit: "s",
          advice: { explicitBucketBoundaries: DURATION_BUCKETS },
        });
    }
  }

  begun(call: TracedCall): void {
    if (this.#tracer === null) return;
    const { callId, tool, principal, desktopId, rpc } = call;
    const attributes = {
      ...conventional(call),
      ...given("jsonrpc.request.id", rpc?.id),
      ...given("mcp.session.id", rpc?.sessionId),
      ...given("client.address", principal.ip),
      ...given("oc.desktop.id", desktopId),
    };
    const options = { kind: SpanKind.SERVER, attributes };
    this.#calls.set(callId, this.#tracer.startSpan(`${METHOD} ${tool}`, options, parentOf(call)));
  }

  within<T>({ callId }: TracedCall, work: () => Promise<T>): Promise<T> {
    const span = this.#calls.get(callId);
    return span === undefined ? work() : this.#current.run(span, work);
  }

  ended(call: TracedResult): void {
    const { callId, code, durationMs } = call;
    const error = code === null ? {} : { "error.type": "tool_error" };
    this.#duration?.record(durationMs / 1000, { ...conventional(call), ...error });
    const span = this.#calls.get(callId);
    if (span === undefined) return;
    this.#calls.delete(callId);
    end(span, code, error);
  }

  asked({ id, desktopId, state }: TracedApproval): void {
    if (this.#tracer === null) return;
    if (state === "pending") {
      const attributes = desktopId === "" ? {} : { "oc.desktop.id": desktopId };
      this.#approvals.set(id, this.#tracer.startSpan("approval", { attributes }, this.#within()));
      return;
    }
    const span = this.#approvals.get(id);
    this.#approvals.delete(id);
    // No is an answer, not an error.
    span?.setAttribute("oc.approval.outcome", state).end();
  }

  /** A span from when a link is tried until it is live or the try is over. */
  linked({ id, protocol, state }: TracedLink): void {
    if (this.#tracer === null) return;
    const span = this.#links.get(id);
    if (state.kind === "connecting") {
      if (span !== undefined) return;
      const attributes = { "oc.desktop.id": id, "oc.protocol": protocol };
      const options = { kind: SpanKind.CLIENT, attributes };
      this.#links.set(id, this.#tracer.startSpan("desktop connect", options, this.#within()));
      return;
    }
    this.#links.delete(id);
    if (span === undefined) return;
    const code = state.kind === "live" ? null : (state.error?.code ?? state.kind);
    end(span, code, code === null ? {} : { "error.type": code });
  }

  async close(): Promise<void> {
    for (const open of [this.#calls, this.#approvals, this.#links])
      for (const span of open.values()) span.end();
    let cancel = (): void => {};
    const tooLong = new Promise<void>((resolve) => {
      cancel = this.#ports.clock.after(CLOSE_WITHIN_MS, resolve);
    });
    // What failed was told by `onChange`.
    const closing = Promise.allSettled(this.#providers.map((provider) => provider.shutdown()));
    await Promise.race([closing, tooLong]);
    cancel();
  }

  /** The call whose work this is, where it is one's. */
  #within(): Context {
    const span = this.#current.getStore();
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
  }
}

/** What the conventions ask of spans and metrics alike; all of few values. */
function conventional({ tool, transport, rpc }: TracedCall): Attributes {
  return {
    "mcp.method.name": METHOD,
    "gen_ai.tool.name": tool,
    "gen_ai.operation.name": "execute_tool",
    "network.transport": transport === "http" ? "tcp" : "pipe",
    ...(transport === "http" ? { "network.protocol.name": "http" } : {}),
    ...given("mcp.protocol.version", rpc?.protocolVersion),
  };
}

function given(name: string, value: string | null | undefined): Attributes {
  return value === null || value === undefined ? {} : { [name]: value };
}

/** The span in the caller's trace that asked for this. */
function parentOf({ trace: caller }: TracedCall): Context {
  if (caller === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = caller;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function end(span: Span, code: string | null, attributes: Attributes): void {
  if (code !== null) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttributes({ ...attributes, "oc.error.code": code });
  }
  span.end();
}

function samplerOf({ sampler, sampler_arg }: TelemetryOptions): Sampler {
  const named = sampler.replace("parentbased_", "");
  const root =
    named === "always_on"
      ? new AlwaysOnSampler()
      : named === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(sampler_arg);
  return named === sampler ? root : new ParentBasedSampler({ root });
}
