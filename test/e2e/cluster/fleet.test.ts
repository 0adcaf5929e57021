import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { FLEET } from "../../../src/cluster/fleet/fleet.ts";
import { LEASE_TIMING } from "../../../src/cluster/lease/lease.ts";
import { errorSchema } from "../../../src/web/api/api.ts";
import { fleetSchema } from "../../../src/web/api/fleet-api.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance, MAIN } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { type Agent, ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { supervisorOf } from "../harness/supervisor-of.ts";
import { XDisplay } from "../harness/x-display.ts";

/** OC_FLEET_ETCD=3, OC_FLEET_DESKTOPS=30, OC_FLEET_SERVERS=30, OC_FLEET_KILLS=5: as much as the operator of a fleet has. */
const MEMBERS = Number(process.env["OC_FLEET_ETCD"] ?? 1);
const DESKTOPS = Number(process.env["OC_FLEET_DESKTOPS"] ?? 3);
/** Desktops are spread over so many real X servers. */
const SERVERS = Number(process.env["OC_FLEET_SERVERS"] ?? 3);
/** Servers are killed so many times more, each is started again. */
const KILLS = Number(process.env["OC_FLEET_KILLS"] ?? 0);
const SLOW_MS = 60_000;

const nodeSchema = z.looseObject({ name: z.string() });
const desktopSchema = z.looseObject({ id: z.string(), state: z.looseObject({ kind: z.string() }) });

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "chromium"])) {
  t.setTimeout(600_000);
  const etcd = await EtcdCluster.start(t, MEMBERS);
  const folder = mkdtempSync(join(tmpdir(), "oc-fleet-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const secret = (name: string, value: string): string => {
    writeFileSync(join(folder, name), value, { mode: 0o600 });
    return join(folder, name);
  };
  const key = secret("key", randomBytes(32).toString("base64url"));
  const password = secret("password", `${etcd.login.password}\n`);
  const envOf = (name: string): Readonly<Record<string, string>> => {
    const file = (of: string): string => join(etcd.dir, of);
    return {
      OC_CLUSTER_ENDPOINTS: etcd.urls.join(),
      ...{ OC_CLUSTER_CA: file("ca.crt"), OC_CLUSTER_CERT: file("client.crt") },
      ...{ OC_CLUSTER_CERT_KEY: file("client.key"), OC_CLUSTER_LOGIN: etcd.login.name },
      ...{ OC_CLUSTER_PASSWORD_FILE: password, OC_CLUSTER_KEY_FILE: key, OC_CLUSTER_NODE: name },
    };
  };
  const start = (name: string): Promise<Appliance> => Appliance.start(t, { env: envOf(name) });
  const nodes = new Map<string, Appliance>();
  for (const name of ["a", "b", "c"]) nodes.set(name, await start(name));
  const node = (name: string): Appliance => {
    const found = nodes.get(name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  };
  const fleetOf = async (name: string) =>
    fleetSchema.parse(await (await node(name).fetch("/api/v1/fleet")).json());
  const liveOf = async (name: string): Promise<readonly string[]> => {
    const all = z.array(desktopSchema).parse(await (await node(name).fetch("/api/v1/desktops")).json());
    return all.filter(({ state }) => state.kind === "live").map(({ id }) => id);
  };
  const errorOf = async (answer: Response) => ({
    status: answer.status,
    ...errorSchema.parse(await answer.json()).error,
  });
  /** Who has a desktop, live. */
  const holder = async (id: string): Promise<string> =>
    await until(
      `a node that has ${id}`,
      async () => {
        for (const name of nodes.keys()) if ((await liveOf(name)).includes(id)) return name;
        return null;
      },
      SLOW_MS,
    );

  const displays = await Promise.all(Array.from({ length: SERVERS }, () => XDisplay.start(t)));
  const ids: string[] = [];

  await t.test("a desktop added on one node is placed, and told of by all", async (t) => {
    await until("three nodes", async () => (await fleetOf("a")).nodes.length === 3, SLOW_MS);
    for (let nth = 0; nth < DESKTOPS; nth++) {
      const display = displays[nth % SERVERS];
      const connection = { protocol: "vnc", host: "127.0.0.1", port: display?.vncPort, name: `desk ${nth}` };
      const answer = await node("a").fetch("/api/v1/desktops", connection);
      const added = z.looseObject({ id: z.string() }).parse(await answer.json());
      ids.push(added.id);
      // 202: another node took it.
      if (answer.status !== 201) t.match(added, { held_by: { node: /^[bc]$/, address: /^http:/ } });
    }
    const fleet = await until("all placed", async () => {
      const seen = await fleetOf("b");
      return seen.desktops.length === DESKTOPS && seen.desktops.every(({ node }) => node !== null)
        ? seen
        : null;
    });
    t.same(fleet.desktops.map(({ id }) => id).sort(), ids.toSorted(), "each once");
    t.same(
      fleet.nodes.map(({ desktops }) => desktops),
      fleet.nodes.map(() => DESKTOPS / 3),
      "evenly",
    );
    t.equal(fleet.desktops[0]?.name?.startsWith("desk "), true, "opened by the key that all have");
    const part = await node("a").fetch("/api/v1/fleet?node=b&limit=1");
    const { nodes: told, desktops: first } = fleetSchema.parse(await part.json());
    t.match(told, [{ name: "b", desktops: DESKTOPS / 3 }], "of one node");
    t.match(first, [{ node: "b" }]);
    t.equal((await errorOf(await node("a").fetch("/api/v1/fleet?node=none"))).code, "not_found");
    t.equal((await node("a").fetch("/api/v1/fleet?limit=0")).status, 400);
    const { stdout } = await etcd.control(etcd.first, "get", "/overlay-companion/connections/", "--prefix");
    t.notMatch(stdout, /desk \d|127\.0\.0\.1/, "what etcd holds is sealed");
    for (const id of ids) {
      const name = await holder(id);
      const other = name === "a" ? "b" : "a";
      t.match(await errorOf(await node(other).fetch(`/api/v1/desktops/${id}`)), {
        ...{ status: 421, code: "held_elsewhere", held_by: { node: name, address: node(name).url } },
      });
    }
  });

  /** Types by the node that has it, as an agent does. */
  const agents = new Map<string, Agent>();
  const type = async (name: string, id: string, text: string): Promise<ToolRefusal | null> => {
    const agent = agents.get(name) ?? (await node(name).agent());
    agents.set(name, agent);
    try {
      await agent.call("type_text", { connection_id: id, text });
      return null;
    } catch (error) {
      if (error instanceof ToolRefusal) return error;
      throw error;
    }
  };

  await t.test(
    "etcd is silent for longer than a lease: input stops with a word, nothing moves",
    async (t) => {
      const [id = ""] = ids;
      const name = await holder(id);
      t.equal(await type(name, id, "a"), null);
      const before = (await fleetOf(name)).desktops;
      const written = etcd.history(t, `${FLEET}nodes/`);
      /** How often each node renewed its lease, by its name. */
      const renewals = (): ReadonlyMap<string, number> => {
        const counts = new Map<string, number>();
        for (const [, value] of written()) {
          const { name: by } = nodeSchema.parse(JSON.parse(value));
          counts.set(by, (counts.get(by) ?? 0) + 1);
        }
        return counts;
      };
      await until("renewals are heard of", () => renewals().size === nodes.size, SLOW_MS);
      for (const { program } of etcd.members) program.freeze(true);
      const beganMs = performance.now();
      const refused = await until("a refusal", () => type(name, id, "b"), SLOW_MS);
      t.comment(`input was refused ${Math.round(performance.now() - beganMs)} ms after etcd fell silent`);
      t.match(refused, { code: "not_held", message: /does not answer in time/ });
      t.match(await (await node(name).fetch("/readyz")).json(), {
        status: "degraded",
        parts: { fleet: { ok: false, detail: /etcd does not answer/ } },
      });
      t.match(await (await node(name).fetch("/metrics")).text(), /^oc_fleet_lease_seconds 0$/m);
      const { leaseMs, renewMs } = LEASE_TIMING;
      let allOverMs = Number.POSITIVE_INFINITY;
      await until(
        "all leases are over, for longer than who looks for such waits",
        async () => {
          const left = await Promise.all([...nodes.keys()].map(async (one) => (await fleetOf(one)).lease_ms));
          if (left.every((ms) => ms === 0)) allOverMs = Math.min(allOverMs, performance.now());
          return performance.now() - allOverMs > leaseMs;
        },
        SLOW_MS,
      );
      t.equal((await liveOf(name)).includes(id), true, "it is shown all the while");
      const renewalsBefore = renewals();
      for (const { program } of etcd.members) program.freeze(false);
      const backMs = performance.now();
      await until("input again", async () => (await type(name, id, "c")) === null, SLOW_MS);
      t.comment(`input went on ${Math.round(performance.now() - backMs)} ms after etcd was back`);
      // A node that took another's desktop would have done so once its own renewals went on for a lease.
      await until(
        "all renewed for longer than a lease",
        () => {
          const now = renewals();
          const since = (one: string): number => (now.get(one) ?? 0) - (renewalsBefore.get(one) ?? 0);
          return [...nodes.keys()].every((one) => since(one) > Math.ceil(leaseMs / renewMs) + 1);
        },
        SLOW_MS,
      );
      const place = ({ id, node }: { id: string; node: string | null }) => `${id} ${node}`;
      t.same((await fleetOf(name)).desktops.map(place), before.map(place), "nothing moved");
    },
  );

  await t.test("a token is good at every node until any takes it back", async (t) => {
    const made = await node("a").fetch("/api/v1/tokens", {
      name: "shared",
      role: "viewer",
      expires_at: null,
    });
    t.equal(made.status, 201);
    const { id, token } = z.looseObject({ id: z.string(), token: z.string() }).parse(await made.json());
    const asked = async (name: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await node(name).fetch("/api/v1/desktops", undefined, { headers })).status;
    };
    for (const name of ["a", "b", "c"]) {
      await until(`it is known at ${name}`, async () => (await asked(name)) === 200);
    }
    const { stdout } = await etcd.control(etcd.first, "get", "/overlay-companion/tokens/", "--prefix");
    t.notMatch(stdout, token.slice(-43), "etcd holds no token");
    const revoked = await node("c").fetch(`/api/v1/tokens/${id}`, undefined, {
      method: "DELETE",
      headers: { authorization: `Bearer ${node("c").adminToken}` },
    });
    t.equal(revoked.status, 204);
    for (const name of ["a", "b", "c"]) {
      await until(`it is dead at ${name}`, async () => (await asked(name)) === 401);
    }
  });

  await t.test("a node that drains hands over what it has, and what people set of it", async (t) => {
    const own = await until("one that is live there", async () => (await liveOf("c"))[0] ?? null, SLOW_MS);
    const path = `/api/v1/desktops/${own}`;
    const shown = async (name: string): Promise<string | null> => {
      const answer = await node(name).fetch(`${path}/screenshot.png`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      return answer.ok ? bytes.toString("base64") : null;
    };
    const bare = await shown("c");
    const rect = { x: 0, y: 0, width: 1024, height: 768 };
    t.equal((await node("c").fetch(`${path}/masks`, { rect })).status, 201);
    const masked = await shown("c");
    t.not(masked, bare, "it is hidden");
    const ruled = await node("c").fetch(`${path}/rules`, { rules: { text: "deny" } }, { method: "PUT" });
    t.equal(ruled.status, 200);
    await node("a").fetch("/api/v1/fleet/nodes/c/drain", {});
    const [first, taker] = await until(
      "the first picture of the next node",
      async () => {
        for (const name of ["a", "b"]) {
          const picture = await shown(name);
          if (picture !== null) return [picture, name] as const;
        }
        return null;
      },
      SLOW_MS,
    );
    t.equal(first, masked, "it is hidden from the first picture on");
    t.match(await (await node(taker).fetch(`${path}/rules`)).json(), {
      ...{ is_in_force: true, rules: { text: "deny" } },
    });
    t.match(await type(taker, own, "e"), { code: "permission_denied" }, "rules of the node before");
    const free = await node(taker).fetch(`${path}/mode`, { mode: "autopilot" });
    t.equal(free.status, 200);
    await until("none left", async () => (await liveOf("c")).length === 0, SLOW_MS);
    for (const id of ids) t.not(await holder(id), "c");
    t.match(
      (await fleetOf("b")).nodes.find(({ name }) => name === "c"),
      { is_draining: true, desktops: 0 },
    );
    await node("a").fetch("/api/v1/fleet/nodes/c/drain", { is_draining: false });
    t.match(await errorOf(await node("a").fetch("/api/v1/fleet/nodes/none/drain", {})), {
      code: "not_found",
    });
  });

  await t.test(
    "an administrator sees the fleet, drains a node and takes that back, by its page",
    async (t) => {
      const browser = await openBrowser(t);
      const { page, context, complaints } = await signIn(browser, node("a"));
      await page.goto(`${node("a").url}/access`);
      await page
        .getByRole("navigation", { name: "Administration" })
        .getByRole("link", { name: "Fleet" })
        .click();
      const row = (name: string) =>
        page
          .getByRole("list", { name: "Nodes" })
          .getByRole("listitem")
          .filter({ has: page.getByRole("heading", { name }) });
      await row("a").getByText("You are here").waitFor();
      await page
        .getByText(/: from c to [ab], because it was drained; /)
        .first()
        .waitFor();
      await looksWell(t, page, "fleet");
      await page.getByRole("button", { name: "Drain b" }).click();
      await row("b").getByText("Drained", { exact: true }).waitFor({ timeout: SLOW_MS });
      t.same(await liveOf("b"), [], "it has none");
      await page.setViewportSize({ width: 390, height: 800 });
      await looksWell(t, page, "fleet-drained");
      await page.getByRole("button", { name: "Let b take desktops" }).click();
      await page.getByRole("button", { name: "Drain b" }).waitFor();
      t.equal(
        (await fleetOf("c")).nodes.some(({ is_draining }) => is_draining),
        false,
      );
      t.same(complaints, []);
      await context.close();
    },
  );

  await t.test("a second server of one name ends at its start, and says why", async (t) => {
    const words = ["--host", "127.0.0.1", "--port", "0", "--data-dir", join(folder, "twin")];
    const twin = new Program(t, process.execPath, [MAIN, ...words], { env: envOf("a") });
    await until("its end", () => !twin.isRunning, SLOW_MS);
    t.equal(twin.exitCode, 1);
    t.match(twin.stderr, /another node of this fleet is called a and lives, at http:/);
    node("a").assertAlive();
  });

  const GIVEN_BACK = /The server died, its lease is given back/;
  /** Ends a node as `end` does; resolves with what it wrote when all that it had is live elsewhere. */
  const lost = async (
    t: { comment(words: string): unknown },
    name: string,
    end: (server: number, supervisor: number) => void,
  ): Promise<string> => {
    const ids = await liveOf(name);
    const { program } = node(name);
    const server = program.pid ?? 0;
    const supervisor = await supervisorOf(server);
    const [beganMs, began] = [performance.now(), Date.now()];
    end(server, supervisor);
    nodes.delete(name);
    const liveMs = new Map<string, number>();
    await until(
      "all are live elsewhere",
      async () => {
        for (const other of nodes.keys()) {
          const live = await liveOf(other);
          const tookMs = performance.now() - beganMs;
          for (const id of live) if (ids.includes(id) && !liveMs.has(id)) liveMs.set(id, tookMs);
        }
        return liveMs.size === ids.length;
      },
      SLOW_MS,
    );
    const takenMs = [...nodes.values()].flatMap(({ program: { stderr } }) =>
      [...stderr.matchAll(/"time":"([^"]+)".*"msg":"Desktop taken"/g)]
        .map(([, time = ""]) => Date.parse(time) - began)
        .filter((tookMs) => tookMs >= 0),
    );
    t.comment(
      `${ids.length} desktops given to others after ${figures(takenMs)}, live after ${figures([...liveMs.values()])}`,
    );
    await until("its processes end", () => !program.isRunning, SLOW_MS);
    return program.stderr;
  };

  await t.test("a server is killed: its supervisor has others take its desktops", async (t) => {
    const [id = ""] = ids;
    const name = await holder(id);
    // Also one that came after another.
    const first = await supervisorOf(node(name).program.pid ?? 0);
    process.kill(first, "SIGKILL");
    await until(
      "the next supervisor",
      async () => (await supervisorOf(node(name).program.pid ?? 0)) !== first,
      SLOW_MS,
    );
    t.equal(await type(name, id, "d"), null, "without one it goes on");
    t.match(await lost(t, name, (server) => process.kill(server, "SIGKILL")), GIVEN_BACK);
    const taker = await holder(id);
    t.equal(await type(taker, id, "d"), null);
    const audit = await (await node(taker).fetch("/api/v1/audit?limit=200")).json();
    t.match(JSON.stringify(audit), new RegExp(`"node":"${taker}","fence":"\\d+"`), "told under its fence");
    for (let nth = 0, last = name; nth < KILLS; nth++) {
      nodes.set(last, await start(last));
      last = await holder(id);
      t.match(await lost(t, last, (server) => process.kill(server, "SIGKILL")), GIVEN_BACK);
    }
  });

  await t.test("a host is lost, its supervisor too: others take its desktops after its lease", async (t) => {
    const name = await holder(ids[0] ?? "");
    const said = await lost(t, name, (server, supervisor) => {
      process.kill(supervisor, "SIGKILL");
      process.kill(server, "SIGKILL");
    });
    t.notMatch(said, GIVEN_BACK);
    for (const id of ids) t.not(await holder(id), name);
  });
}

function figures(tookMs: readonly number[]): string {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN);
  return `p50 ${at(0.5)}, p95 ${at(0.95)} ms`;
}
