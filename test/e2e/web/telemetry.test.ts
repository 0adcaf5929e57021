import t from "tap";
import { OtlpCollector } from "../../support/otlp/otlp-receiver.ts";
import { until } from "../../support/until.ts";
import { RacedTarget } from "../agents/raced-target.ts";
import { Appliance } from "../harness/appliance.ts";
import { withoutPackage } from "../harness/blocked-package.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

t.test("nothing of OpenTelemetry is loaded where no collector is named", async (t) => {
  // prom-client, which writes /metrics, loads the interfaces in @opentelemetry/api by itself.
  const blocked = withoutPackage(t, "@opentelemetry/otlp-transformer");
  const appliance = await Appliance.start(t, { env: blocked });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  await appliance.program.stop();
  const env = { ...blocked, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
  await t.rejects(Appliance.start(t, { env }), /the package is loaded/, "it is needed here");
});

t.test(
  "a caller's trace goes on: its call, the question to people, the link",
  { timeout: 180_000 },
  async (t) => {
    const collector = await OtlpCollector.open(t);
    // Its picture stays as it is: on the demo's a caret blinks and a clock goes, which may void the question first.
    const target = await RacedTarget.start(t);
    const appliance = await Appliance.start(t, {
      connect: [target.url],
      mode: "assist",
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRIC_EXPORT_INTERVAL: "1000",
        OTEL_SERVICE_NAME: "oc-test",
        OTEL_BSP_SCHEDULE_DELAY: "100",
      },
    });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const message = {
      ...{ jsonrpc: "2.0", id: "call-1", method: "tools/call" },
      params: {
        name: "type_text",
        arguments: { text: "canary-3f9a", intent: "canary-77b1" },
        _meta: { traceparent: `00-${TRACE}-${PARENT}-01` },
      },
    };
    const called = fetch(`${appliance.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${appliance.agentToken}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify(message),
    });
    const question = await until("a question", async () => {
      const response = await appliance.fetch("/api/v1/approvals");
      const text = await response.text();
      return /"id":"([^"]+)"/.exec(text)?.[1] ?? null;
    });
    await appliance.fetch(`/api/v1/approvals/${question}`, { decision: "deny" });
    await (await called).text();
    const call = await until(
      "the span of the call",
      () => collector.spans.find(({ name }) => name === "tools/call type_text") ?? null,
    );
    t.match(call, {
      traceId: TRACE,
      parentSpanId: PARENT,
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "type_text",
        "jsonrpc.request.id": "call-1",
        "network.transport": "tcp",
        "error.type": "tool_error",
      },
    });
    const approval = await until(
      "the span of the question",
      () => collector.spans.find(({ name }) => name === "approval") ?? null,
    );
    t.match(approval, {
      traceId: TRACE,
      parentSpanId: call.spanId,
      attributes: { "oc.approval.outcome": "denied" },
    });
    t.ok(collector.spans.some(({ name }) => name === "desktop connect"));
    await until("a metric", () => collector.metrics.get("mcp.server.operation.duration") ?? null);
    await until("those of /metrics", () => collector.metrics.get("oc_tool_calls_total") ?? null);
    t.equal(collector.resource["service.name"], "oc-test");
    await appliance.program.stop();
    const all = Buffer.concat(collector.bodies).toString("latin1");
    for (const secret of ["canary-3f9a", "canary-77b1", appliance.agentToken, appliance.adminToken])
      t.notOk(all.includes(secret));
  },
);
