import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricFamily, TelemetryPorts } from "../telemetry.ts";

type Values = MetricFamily["values"];
interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** The numbers of /metrics for a collector: the same names, looked up when they are sent, so that they are counted once. */
export class MetricFamilies implements MetricProducer {
  readonly #ports: Pick<TelemetryPorts, "families" | "version">;
  readonly #resource: Resource;
  readonly #startTime = now();

  constructor(ports: Pick<TelemetryPorts, "families" | "version">, resource: Resource) {
    this.#ports = ports;
    this.#resource = resource;
  }

  async collect(): Promise<CollectionResult> {
    const span = { startTime: this.#startTime, endTime: now() };
    const metrics = (await this.#ports.families()).map((family) => dataOf(family, span));
    const scope = { name: "overlay-companion", version: this.#ports.version };
    return { resourceMetrics: { resource: this.#resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
  }
}

function dataOf({ name, help, type, values }: MetricFamily, span: Span): MetricData {
  const base = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === "histogram")
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(name, values, span) };
  const dataPoints = values.map(({ value, labels }) => ({ ...span, attributes: { ...labels }, value }));
  if (type === "counter") return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus counts what is at most a bound, OTLP what lies between two. */
function histograms(name: string, values: Values, span: Span) {
  const points = new Map<
    string,
    { labels: Values[number]["labels"]; at: [number, number][]; sum: number; count: number }
  >();
  for (const {
    labels: { le, ...labels },
    metricName,
    value,
  } of values) {
    const key = JSON.stringify(labels);
    const point = points.get(key) ?? { labels, at: [], sum: 0, count: 0 };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = value;
    else if (le !== undefined) point.at.push([le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value]);
  }
  return [...points.values()].map(({ labels, at, sum, count }) => {
    const sorted = at.toSorted(([a], [b]) => a - b);
    return {
      ...span,
      attributes: { ...labels },
      value: {
        buckets: {
          boundaries: sorted.map(([bound]) => bound).filter((bound) => Number.isFinite(bound)),
          counts: sorted.map(([, upTo], index) => upTo - (sorted[index - 1]?.[1] ?? 0)),
        },
        sum,
        count,
      },
    };
  });
}

function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "By" : "";
}

function now(): HrTime {
  const ms = Date.now();
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}
