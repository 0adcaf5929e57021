import type { TraceContext } from "../platform/trace-context.ts";

/** How OTLP is written over HTTP. */
export const TELEMETRY_PROTOCOLS = ["http/protobuf", "http/json"] as const;

/** As OTEL_TRACES_SAMPLER names them. */
export const TELEMETRY_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export interface TelemetryOptions {
  readonly disabled: boolean;
  readonly endpoint?: string | undefined;
  readonly traces_endpoint?: string | undefined;
  readonly metrics_endpoint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly protocol: (typeof TELEMETRY_PROTOCOLS)[number];
  readonly traces: "otlp" | "none";
  readonly metrics: "otlp" | "none";
  readonly sampler: (typeof TELEMETRY_SAMPLERS)[number];
  readonly sampler_arg: number;
  readonly service_name: string;
  readonly resource_attributes?: Readonly<Record<string, string>> | undefined;
  readonly metric_interval_ms: number;
}

/** Where each kind goes; null: it is not sent. */
export interface TelemetryAddresses {
  readonly traces: string | null;
  readonly metrics: string | null;
}

/** A tool call as it begins; ToolCallBegun of the MCP face is one. Never its arguments. */
export interface TracedCall {
  readonly callId: string;
  readonly tool: string;
  readonly transport: "http" | "stdio";
  readonly principal: { readonly ip?: string };
  readonly desktopId: string | null;
  readonly trace?: TraceContext;
  readonly rpc?: {
    readonly id: string;
    readonly sessionId: string | null;
    readonly protocolVersion: string | null;
  };
}

/** And as it ended; ToolCallRecord is one. */
export interface TracedResult extends TracedCall {
  /** Of the error, null where it was done. */
  readonly code: string | null;
  readonly durationMs: number;
}

/** A question to people, as it is asked and as it is settled. */
export interface TracedApproval {
  readonly id: string;
  readonly desktopId: string;
  readonly state: string;
}

/** The link of a desktop came into a state. */
export interface TracedLink {
  readonly id: string;
  readonly protocol: string;
  readonly state: { readonly kind: string; readonly error?: { readonly code: string } };
}

/** A number of the appliance, as prom-client's `getMetricsAsJSON` tells it. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    /** Of histograms: NAME_bucket, NAME_sum or NAME_count. */
    readonly metricName?: string;
  }[];
}

export interface TelemetryPorts {
  readonly version: string;
  /** Sends to a collector, where the rules of targets allow it. Rejects where it did not arrive. */
  readonly send: (request: {
    readonly url: string;
    readonly method: "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  }) => Promise<{ readonly status: number; readonly pauseMs: number }>;
  readonly clock: { after(ms: number, call: () => void): () => void };
  /** The numbers of /metrics. */
  readonly families: () => Promise<readonly MetricFamily[]>;
  /** Told once when the collector fails, and once when it takes what it is sent again. */
  readonly onChange: (isWorking: boolean, error: unknown) => void;
}

/** What the appliance tells a collector of OpenTelemetry. */
export interface Telemetry {
  begun(call: TracedCall): void;
  /** Runs the call's work; questions that it asks belong to its span. */
  within<T>(call: TracedCall, work: () => Promise<T>): Promise<T>;
  ended(call: TracedResult): void;
  asked(approval: TracedApproval): void;
  linked(link: TracedLink): void;
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

/** Where a configuration sends what. */
export function telemetryAddresses(options: TelemetryOptions): TelemetryAddresses {
  const { disabled, endpoint, traces, metrics } = options;
  const of = (kind: "otlp" | "none", own: string | undefined, path: string): string | null => {
    if (disabled || kind === "none") return null;
    if (own !== undefined) return own;
    return endpoint === undefined ? null : `${endpoint.replace(/\/$/, "")}/v1/${path}`;
  };
  return {
    traces: of(traces, options.traces_endpoint, "traces"),
    metrics: of(metrics, options.metrics_endpoint, "metrics"),
  };
}
