import t, { type Test } from "tap";
import { configSchema } from "../../src/config/config-schema.ts";
import { openTelemetry } from "../../src/monitoring/load-telemetry.ts";
import { LoopDelay } from "../../src/monitoring/loop-delay.ts";
import { Metrics } from "../../src/monitoring/metrics.ts";
import {
  type MetricFamily,
  type TelemetryOptions,
  telemetryAddresses,
} from "../../src/monitoring/telemetry.ts";
import { FakeClock } from "../fake-clock.ts";
import { OtlpCollector } from "../support/otlp/otlp-receiver.ts";
import { until } from "../support/until.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const CALL = {
  callId: "c1",
  tool: "click_at",
  transport: "http",
  principal: { ip: "192.0.2.7" },
  desktopId: "d1",
  trace: { traceId: TRACE, spanId: PARENT, isSampled: true },
  rpc: { id: "7", sessionId: "s1", protocolVersion: "2025-11-25" },
} as const;

function optionsOf(given: Record<string, unknown>): TelemetryOptions {
  return configSchema.parse({ telemetry: given }).telemetry;
}

async function open(t: Test, given: Record<string, unknown>, families: readonly MetricFamily[] = []) {
  const clock = new FakeClock();
  const changes: boolean[] = [];
  let sent = 0;
  const telemetry = await openTelemetry(optionsOf(given), {
    ...{ version: "1", clock, families: async () => families },
    send: async ({ url, method, headers, body }) => {
      sent += 1;
      const { status } = await fetch(url, { method, headers, body: new Uint8Array(body) });
      return { status, pauseMs: 0 };
    },
    onChange: (isWorking) => changes.push(isWorking),
  });
  if (telemetry === null) throw new Error("nothing was opened");
  t.teardown(() => telemetry.close());
  return { telemetry, clock, changes, sent: () => sent };
}

t.test("nothing is opened where nothing is sent", async (t) => {
  const ports = {
    ...{ version: "1", clock: new FakeClock(), families: async () => [] },
    send: async () => ({ status: 200, pauseMs: 0 }),
    onChange: () => undefined,
  };
  const endpoint = "http://127.0.0.1:4318";
  for (const given of [{}, { endpoint, disabled: "true" }, { endpoint, traces: "none", metrics: "none" }]) {
    t.equal(await openTelemetry(optionsOf(given), ports), null, JSON.stringify(given));
  }
});

t.test("addresses are those of the OTLP specification", async (t) => {
  const of = (given: Record<string, unknown>) => telemetryAddresses(optionsOf(given));
  t.same(of({ endpoint: "http://127.0.0.1:4318/" }), {
    traces: "http://127.0.0.1:4318/v1/traces",
    metrics: "http://127.0.0.1:4318/v1/metrics",
  });
  t.same(of({ traces_endpoint: "http://127.0.0.1:1/x" }), { traces: "http://127.0.0.1:1/x", metrics: null });
  t.same(of({ endpoint: "http://127.0.0.1:1/p", metrics: "none" }), {
    traces: "http://127.0.0.1:1/p/v1/traces",
    metrics: null,
  });
});

t.test("what is configured wrong is refused, and headers are never shown", async (t) => {
  for (const given of [
    { endpoint: "ftp://x" },
    { endpoint: "http://127.0.0.1:1", protocol: "grpc" },
    { headers: "novalue" },
    { headers: "a=%zz" },
    { sampler_arg: 2 },
    { metric_interval_ms: 10 },
  ]) {
    t.equal(configSchema.safeParse({ telemetry: given }).success, false, JSON.stringify(given));
  }
  t.same(optionsOf({ headers: " a=1, b=x%2Cy" }).headers, { a: "1", b: "x,y" });
  const secret = configSchema.safeParse({ telemetry: { headers: "topsecret" } });
  t.notMatch(secret.error?.message ?? "", /topsecret/);
});

for (const protocol of ["http/protobuf", "http/json"]) {
  t.test(`a call, its question and a link are spans, as the conventions say (${protocol})`, async (t) => {
    const collector = await OtlpCollector.open(t);
    const { telemetry } = await open(t, {
      ...{ endpoint: collector.url, protocol, headers: "x-key=k%20y" },
      resource_attributes: "deployment.environment.name=test",
    });
    telemetry.begun(CALL);
    await telemetry.within(CALL, async () => {
      await Promise.resolve();
      telemetry.asked({ id: "a1", desktopId: "d1", state: "pending" });
    });
    telemetry.asked({ id: "a1", desktopId: "d1", state: "denied" });
    telemetry.ended({ ...CALL, code: "denied_by_human", durationMs: 40 });
    const stdio = { ...CALL, callId: "c2", transport: "stdio", desktopId: null } as const;
    const { trace: _, rpc: __, ...alone } = stdio;
    telemetry.begun(alone);
    telemetry.ended({ ...alone, code: null, durationMs: 4 });
    telemetry.linked({ id: "d1", protocol: "vnc", state: { kind: "connecting" } });
    telemetry.linked({ id: "d1", protocol: "vnc", state: { kind: "connecting" } });
    telemetry.linked({
      id: "d1",
      protocol: "vnc",
      state: { kind: "reconnecting", error: { code: "target_down" } },
    });
    telemetry.linked({ id: "d1", protocol: "vnc", state: { kind: "connecting" } });
    telemetry.linked({ id: "d1", protocol: "vnc", state: { kind: "live" } });
    telemetry.linked({ id: "d1", protocol: "vnc", state: { kind: "stalled" } });
    await telemetry.close();

    const [call, ...others] = collector.spans.filter(({ name }) => name === "tools/call click_at");
    t.match(call, {
      traceId: TRACE,
      parentSpanId: PARENT,
      kind: protocol === "http/json" ? 2 : "SPAN_KIND_SERVER",
      status: { code: protocol === "http/json" ? 2 : "STATUS_CODE_ERROR" },
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "click_at",
        "gen_ai.operation.name": "execute_tool",
        "mcp.session.id": "s1",
        "mcp.protocol.version": "2025-11-25",
        "jsonrpc.request.id": "7",
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "client.address": "192.0.2.7",
        "error.type": "tool_error",
        "oc.error.code": "denied_by_human",
        "oc.desktop.id": "d1",
      },
    });
    t.equal(others.length, 1);
    t.match(others[0], { parentSpanId: "", attributes: { "network.transport": "pipe" } });
    t.not(others[0]?.traceId, TRACE);
    const approval = collector.spans.find(({ name }) => name === "approval");
    t.match(approval, {
      traceId: TRACE,
      parentSpanId: call?.spanId ?? "",
      attributes: { "oc.approval.outcome": "denied", "oc.desktop.id": "d1" },
    });
    const links = collector.spans.filter(({ name }) => name === "desktop connect");
    t.match(
      links.map(({ attributes }) => attributes),
      [
        { "oc.desktop.id": "d1", "oc.protocol": "vnc", "error.type": "target_down" },
        { "oc.protocol": "vnc" },
      ],
    );
    t.equal(links.length, 2);
    t.match(collector.resource, {
      "service.name": "overlay-companion",
      "service.version": "1",
      "deployment.environment.name": "test",
    });
    t.equal(collector.headers[0]?.["x-key"], "k y");
    const duration = collector.metrics.get("mcp.server.operation.duration");
    t.equal(duration?.unit, "s");
    const [failed] = (duration?.histogram?.dataPoints ?? []).filter(
      (point) => point.attributes["error.type"],
    );
    t.match(failed, { count: 1, sum: 0.04, attributes: { "gen_ai.tool.name": "click_at" } });
    t.equal(failed?.attributes["mcp.session.id"], undefined, "no id is a dimension of a metric");
  });
}

t.test("a caller's own trace says whether it is kept, unless all or none are", async (t) => {
  const unsampled = { ...CALL, trace: { ...CALL.trace, isSampled: false } };
  for (const [sampler, trace, expected] of [
    ["parentbased_always_on", unsampled, 0],
    ["parentbased_always_on", CALL, 1],
    ["always_on", unsampled, 1],
    ["always_off", CALL, 0],
    ["parentbased_always_off", CALL, 1],
  ] as const) {
    const collector = await OtlpCollector.open(t);
    const { telemetry } = await open(t, { endpoint: collector.url, sampler, metrics: "none" });
    telemetry.begun(trace);
    telemetry.ended({ ...trace, code: null, durationMs: 1 });
    await telemetry.close();
    t.equal(collector.spans.length, expected, sampler);
  }
});

t.test("the numbers of /metrics are sent by the same names and values", async (t) => {
  const collector = await OtlpCollector.open(t);
  const clock = new FakeClock();
  const loopDelay = new LoopDelay(clock);
  t.teardown(() => loopDelay.close());
  const metrics = new Metrics({
    ...{ version: "1", loopDelay, desktops: () => [{ state: { kind: "live" } }] },
    ...{ viewers: () => 3, pendingApprovals: () => 1, nowMs: () => 0 },
    audit: () => ({ isWorking: true, waiting: 7, dropped: 0, receivers: [] }),
    recorder: () => ({ running: 2, failing: 1, pendingBytes: 4096 }),
  });
  metrics.called({ tool: "click_at", code: null, durationMs: 40 });
  metrics.called({ tool: "click_at", code: "stopped", durationMs: 70_000 });
  metrics.sent(123);
  const { telemetry } = await open(t, { endpoint: collector.url, traces: "none" }, await metrics.families());
  await telemetry.close();
  const value = (name: string): unknown => {
    const { sum, gauge } = collector.metrics.get(name) ?? {};
    return (sum ?? gauge)?.dataPoints[0]?.asDouble;
  };
  t.equal(value("oc_viewers"), 3);
  t.equal(value("oc_viewer_bytes_total"), 123);
  t.equal(value("oc_audit_waiting_events"), 7);
  t.equal(collector.metrics.get("oc_viewer_bytes_total")?.unit, "By");
  t.same(
    collector.metrics.get("oc_tool_calls_total")?.sum?.dataPoints.map(({ attributes }) => attributes),
    [
      { tool: "click_at", outcome: "ok" },
      { tool: "click_at", outcome: "stopped" },
    ],
  );
  const [seconds] = collector.metrics.get("oc_tool_call_seconds")?.histogram?.dataPoints ?? [];
  t.match(seconds, { count: 2, attributes: { tool: "click_at" } });
  t.same(seconds?.bucketCounts, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  t.equal(seconds?.explicitBounds?.length, 10);
  const text = (await metrics.text()).text;
  const named = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? "");
  t.same(
    named.filter((name) => !collector.metrics.has(name) && name !== "oc_event_loop_delay_seconds"),
    [],
  );
});

t.test("a collector that is busy is asked again, one that refuses is not; both are told once", async (t) => {
  const collector = await OtlpCollector.open(t);
  const { telemetry, clock, changes, sent } = await open(t, { endpoint: collector.url, metrics: "none" });
  const call = (): void => {
    telemetry.begun(CALL);
    telemetry.ended({ ...CALL, code: null, durationMs: 1 });
  };
  collector.status = 503;
  call();
  // The SDK gathers a batch by its own time.
  await until("the first try", () => sent() === 1);
  collector.status = 200;
  await until("the second try", () => {
    clock.advance(1000);
    return collector.spans.length === 1;
  });
  t.same(changes, [], "it came after all");
  collector.status = 400;
  const before = sent();
  call();
  await until("a refusal", () => changes.length === 1);
  t.equal(sent(), before + 1, "what is refused is not sent again");
  call();
  await until("another", () => sent() === before + 2);
  collector.status = 200;
  call();
  await until("it works", () => changes.length === 2);
  t.same(changes, [false, true]);
});
