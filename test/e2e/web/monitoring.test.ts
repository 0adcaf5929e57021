import { execFile } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";

const partSchema = z.object({ ok: z.boolean(), detail: z.string(), advice: z.string().nullable() });
const readySchema = z.object({
  status: z.enum(["ready", "degraded", "unready"]),
  parts: z.object({ targets: partSchema, audit: partSchema, disk: partSchema }).loose(),
});
const querySchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

t.test("a real Prometheus scrapes it, and readiness turns red and green", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["prometheus", "promtool"])) return;
  const appliance = await Appliance.start(t, { hasVnc: true, env: { OC_VNC_PASSWORD: "hush1234" } });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  await agent.call("click_at", { x: 5, y: 5, effect_timeout_ms: 0 });
  await t.rejects(agent.call("click_at", { x: -5, y: 99_999 }));
  const viewer = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.vncAuth, "hush1234");
  t.teardown(() => viewer.end());
  viewer.request(true);
  await agent.call("click_at", { x: 9, y: 9, effect_timeout_ms: 0 });

  await t.test("promtool finds no fault in the metrics", async (t) => {
    const file = join(appliance.dataDir, "metrics.txt");
    // Measured from the first scrape on.
    const text = await until("a scrape with all of it", async () => {
      const scraped = await (await appliance.fetch("/metrics")).text();
      return scraped.includes("oc_event_loop_delay_seconds{") ? scraped : null;
    });
    writeFileSync(file, text);
    const { stdout, stderr } = await promisify(execFile)("sh", ["-c", `promtool check metrics < ${file}`]);
    t.equal(stdout + stderr, "");
  });

  await t.test("nobody reads them without a token of a role that may", async (t) => {
    t.equal((await fetch(`${appliance.url}/metrics`)).status, 401);
    const headers = { authorization: `Bearer ${appliance.agentToken}` };
    t.equal((await fetch(`${appliance.url}/metrics`, { headers })).status, 403);
  });

  await t.test("what it scraped is what happened", async (t) => {
    const dir = t.testdir({ "prometheus.yml": "", token: appliance.adminToken });
    const { host } = new URL(appliance.url);
    const scrape = [
      "global: { scrape_interval: 1s, scrape_timeout: 1s }",
      "scrape_configs:",
      "  - job_name: overlay-companion",
      `    authorization: { credentials_file: ${join(dir, "token")} }`,
      `    static_configs: [{ targets: ["${host}"] }]`,
    ];
    writeFileSync(join(dir, "prometheus.yml"), scrape.join("\n"));
    const port = await freePort();
    new Program(t, "prometheus", [
      `--config.file=${join(dir, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(dir, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    const ask = async (query: string): Promise<number | null> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`;
      const { data } = querySchema.parse(await (await fetch(url)).json());
      const value = data.result[0]?.value[1];
      return value === undefined ? null : Number(value);
    };
    t.equal(await until("a scrape", () => ask("up"), 60_000), 1);
    await until("two", () => ask("oc_event_loop_delay_seconds{percentile='100'}"), 60_000);
    t.ok(((await ask("oc_viewer_bytes_total")) ?? 0) > 1000);
    await until(
      "an update",
      async () => ((await ask("oc_viewer_update_delay_seconds_count")) ?? 0) > 0,
      60_000,
    );
    t.equal(await ask("oc_tool_calls_total{tool='click_at',outcome='ok'}"), 2);
    t.equal(await ask("sum(oc_tool_calls_total{tool='click_at',outcome!='ok'})"), 1);
    t.equal(await ask("oc_desktops{state='live'}"), 1);
    t.equal(await ask("oc_viewers"), 1);
    t.equal(await ask("oc_audit_up"), 1);
  });

  const ready = async () => {
    const response = await appliance.fetch("/readyz");
    return { code: response.status, ...readySchema.parse(await response.json()) };
  };

  await t.test("a target that is away", async (t) => {
    t.match(await ready(), { code: 200, status: "ready" });
    const port = await freePort();
    const added = z.object({ id: z.string() }).parse(
      await (
        await appliance.fetch("/api/v1/desktops", {
          protocol: "vnc",
          host: "127.0.0.1",
          port,
          name: "gone",
        })
      ).json(),
    );
    const red = await until("red", async () => {
      const now = await ready();
      return now.parts.targets.ok ? null : now;
    });
    t.match(red, { code: 200, status: "degraded", parts: { targets: { advice: /connections test/ } } });
    await appliance.fetch(`/api/v1/desktops/${added.id}`, undefined, {
      method: "DELETE",
      headers: { authorization: `Bearer ${appliance.adminToken}` },
    });
    t.match(await ready(), { code: 200, status: "ready" });
  });

  await t.test("an audit log that cannot be written", async (t) => {
    const file = join(appliance.dataDir, "audit.ndjson");
    rmSync(file);
    symlinkSync("/dev/full", file);
    await t.rejects(agent.call("click_at", { x: 5, y: 5 }));
    t.match(await ready(), {
      code: 503,
      status: "unready",
      parts: { audit: { ok: false, advice: /make room/ } },
    });
    rmSync(file);
    await agent.call("click_at", { x: 5, y: 5, effect_timeout_ms: 0 });
    t.match(await ready(), { code: 200, status: "ready" });
  });
});
