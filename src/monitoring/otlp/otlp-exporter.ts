import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import {
  AggregationTemporality,
  type PushMetricExporter,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { TelemetryOptions, TelemetryPorts } from "../telemetry.ts";

/** How often a batch is tried again, and how long after; as the OTLP specification has it, only where that may help. */
const RETRY_AFTER_MS = [1000, 4000];
const LONGEST_PAUSE_MS = 10_000;
/** OTLP 1.x, section "Retryable Response Codes". */
const RETRYABLE = [429, 502, 503, 504];

type Done = (result: { readonly code: 0 | 1; readonly error?: Error }) => void;

/** Sends bodies of one kind to one address of the collector. */
export class OtlpSender {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ports: Pick<TelemetryPorts, "send" | "clock" | "onChange">;
  #isFailing = false;
  #isClosed = false;
  #cancelPause = (): void => {};

  constructor(
    url: string,
    { headers = {}, protocol }: Pick<TelemetryOptions, "headers" | "protocol">,
    ports: Pick<TelemetryPorts, "send" | "clock" | "onChange">,
  ) {
    this.#url = url;
    const type = protocol === "http/json" ? "application/json" : "application/x-protobuf";
    this.#headers = { ...headers, "content-type": type };
    this.#ports = ports;
  }

  /** Calls `done` once: what the collector does not take is dropped, for what watches must not fill the memory. */
  export(body: Uint8Array | undefined, done: Done): void {
    this.#post(body ?? new Uint8Array()).then(
      () => {
        if (this.#isFailing) this.#ports.onChange(true, null);
        this.#isFailing = false;
        done({ code: 0 });
      },
      (error: unknown) => {
        if (!this.#isFailing) this.#ports.onChange(false, error);
        this.#isFailing = true;
        done({ code: 1, error: error instanceof Error ? error : new Error(String(error)) });
      },
    );
  }

  /** Nothing is tried again from here on. */
  close(): void {
    this.#isClosed = true;
    this.#cancelPause();
  }

  async #post(body: Uint8Array): Promise<void> {
    const request = { url: this.#url, method: "POST", headers: this.#headers, body } as const;
    for (let tries = 0; ; tries++) {
      let fault: unknown;
      let pauseMs = 0;
      try {
        const answer = await this.#ports.send(request);
        if (answer.status >= 200 && answer.status < 300) return;
        fault = new Error(`the collector answered ${answer.status}, expected 200 to 299`);
        if (!RETRYABLE.includes(answer.status)) throw fault;
        pauseMs = answer.pauseMs;
      } catch (error) {
        if (error === fault) throw error;
        fault = error;
      }
      const retryMs = RETRY_AFTER_MS[tries];
      if (retryMs === undefined || this.#isClosed) throw fault;
      await this.#pause(Math.min(LONGEST_PAUSE_MS, Math.max(retryMs, pauseMs)));
      if (this.#isClosed) throw fault;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(ms, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Spans of the SDK, as OTLP has them. */
export class OtlpSpans implements SpanExporter {
  readonly #sender: OtlpSender;
  readonly #serializer;

  constructor(sender: OtlpSender, protocol: TelemetryOptions["protocol"]) {
    this.#sender = sender;
    this.#serializer = protocol === "http/json" ? JsonTraceSerializer : ProtobufTraceSerializer;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#sender.export(this.#serializer.serializeRequest(spans), done);
  }

  async shutdown(): Promise<void> {
    this.#sender.close();
  }
}

/** Metrics of the SDK, counted from the start of the process on. */
export class OtlpMetrics implements PushMetricExporter {
  readonly #sender: OtlpSender;
  readonly #serializer;

  constructor(sender: OtlpSender, protocol: TelemetryOptions["protocol"]) {
    this.#sender = sender;
    this.#serializer = protocol === "http/json" ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  }

  export(metrics: ResourceMetrics, done: Done): void {
    this.#sender.export(this.#serializer.serializeRequest(metrics), done);
  }

  selectAggregationTemporality(): AggregationTemporality {
    return AggregationTemporality.CUMULATIVE;
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {
    this.#sender.close();
  }
}
