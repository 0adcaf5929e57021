import { readFileSync } from "node:fs";
import t from "tap";
import { parse } from "yaml";
import * as z from "zod";
import { LoopDelay } from "../../src/monitoring/loop-delay.ts";
import { Metrics } from "../../src/monitoring/metrics.ts";
import { FakeClock } from "../fake-clock.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../deploy/monitoring/${name}`, import.meta.url), "utf8");

const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});
const dashboardSchema = z.looseObject({
  title: z.string(),
  panels: z
    .array(
      z.looseObject({
        id: z.number(),
        title: z.string(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.looseObject({ expr: z.string() })).default([]),
      }),
    )
    .min(1),
});

/** Names that /metrics has, with what Prometheus makes of a histogram, and what it says itself. */
async function metricNames(): Promise<ReadonlySet<string>> {
  const clock = new FakeClock();
  const loopDelay = new LoopDelay(clock);
  const metrics = new Metrics({
    version: "2026.11.21",
    loopDelay,
    desktops: () => [],
    viewers: () => 0,
    pendingApprovals: () => 0,
    audit: () => ({ isWorking: true, waiting: 0, dropped: 0, receivers: [] }),
    recorder: () => ({ running: 0, failing: 0, pendingBytes: 0 }),
    nowMs: () => clock.date().getTime(),
  });
  const { text } = await metrics.text();
  loopDelay.close();
  const names = new Set(["up"]);
  for (const [, name = "", kind] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (kind === "histogram") for (const end of ["bucket", "sum", "count"]) names.add(`${name}_${end}`);
  }
  return names;
}

function namesIn(expression: string): readonly string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|\b(by|on|without) *\([^)]*\)/g, "");
  return [...bare.matchAll(/\b((?:oc|process)_\w+|up)\b/g)].map(([, name = ""]) => name);
}

t.test("alerts and dashboard ask for metrics that there are", async (t) => {
  const known = await metricNames();
  const { groups } = rulesSchema.parse(parse(read("alerts.yaml")));
  const alerts = groups.flatMap(({ rules }) => rules);
  const { panels } = dashboardSchema.parse(JSON.parse(read("dashboard.json")));
  const asked = [
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];
  t.ok(asked.length > 15);
  for (const [where, expression] of asked) {
    const names = namesIn(expression);
    t.ok(names.length > 0, `${where} asks for something of ours`);
    t.same(
      names.filter((name) => !known.has(name)),
      [],
      where,
    );
  }
  const tested = read("alerts.test.yaml");
  for (const { alert } of alerts) t.ok(tested.includes(`alertname: ${alert}\n`), `${alert} has a test`);
});

t.test("panels of the dashboard lie beside each other", async (t) => {
  const { panels } = dashboardSchema.parse(JSON.parse(read("dashboard.json")));
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = new Set<string>();
  for (const { title, gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, `${title} is within Grafana's 24 columns`);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        if (cells.has(`${x} ${y}`)) t.fail(`${title} covers another panel`);
        cells.add(`${x} ${y}`);
      }
    }
  }
});
