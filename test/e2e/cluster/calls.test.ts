import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { CALL_HEADER, REFUSED_HEADER, writeCall } from "../../../src/cluster/calls/call.ts";
import { desktopSchema, errorSchema } from "../../../src/web/api/api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import type { Appliance } from "../harness/appliance.ts";
import { decodePicture, openBrowser, signIn } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { differenceOf } from "../harness/xwd.ts";
import { viewerShot } from "../viewers/viewer-scenario.ts";

const run = promisify(execFile);
const SLOW_MS = 60_000;

/** What curl says where the other side ends the handshake, or sends nothing: RFC 8446 alerts come as one of these. */
const CURL_REFUSED = [35, 52, 55, 56];

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "xwd", "xev", "xterm", "xdotool", "chromium"])) {
  t.setTimeout(300_000);
  const etcd = await EtcdCluster.start(t, 1);
  const inEtcd = (name: string): string => join(etcd.dir, name);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b", "c"]);
  const { names } = fleet;
  const alive = new Set(names);
  const node = (name: string): Appliance => fleet.node(name);
  const fleetOf = (name: string) => fleet.view(name);
  const screen = await XDisplay.start(t, { geometry: "400x300" });
  const browser = await openBrowser(t);
  await screen.command("xsetroot", "-mod", "7", "11", "-fg", "#204080", "-bg", "#c0a020");

  let id = "";
  await t.test("a desktop is added, and told of by every node", async (t) => {
    const connection = { protocol: "vnc", host: "127.0.0.1", port: screen.vncPort, name: "desk" };
    const answer = await node("a").fetch("/api/v1/desktops", connection);
    const added = z.looseObject({ id: z.string() }).parse(await answer.json());
    for (const name of names) {
      const listed = await until(
        `it is live by ${name}`,
        async () => {
          const all = z.array(desktopSchema).parse(await (await node(name).fetch("/api/v1/desktops")).json());
          return all[0]?.state.kind === "live" ? all : null;
        },
        SLOW_MS,
      );
      t.same(
        listed.map((one) => one.id),
        [added.id],
        "once",
      );
    }
    id = added.id;
  });

  const owner = async (): Promise<string> => {
    for (const name of alive) {
      const held = (await fleetOf(name)).desktops.find((one) => one.id === id)?.node;
      if (held !== undefined && held !== null && alive.has(held)) return held;
    }
    throw new Error("nobody has it");
  };
  const others = async (): Promise<readonly string[]> => {
    const has = await owner();
    return [...alive].filter((name) => name !== has);
  };
  const place = (): string => `/api/v1/desktops/${id}`;

  await t.test("REST: every node answers, as who asks, and the owner says by which node", async (t) => {
    for (const name of names) {
      const answer = await node(name).fetch(`${place()}/screenshot.png?cursor=0`);
      t.equal(answer.headers.get("content-type"), "image/png");
      const shot = await decodePicture(Buffer.from(await answer.arrayBuffer()));
      t.equal(differenceOf(shot, await screen.shot()), null, `by ${name}: the X server's own picture`);
    }
    const [far = ""] = await others();
    const held = await node(far).fetch(`${place()}/take-over`, {});
    t.match(await held.json(), { id, holder: { kind: "human", name: "OC_TOKEN" } });
    t.equal((await node(far).fetch(`${place()}/give-back`, {})).status, 200);
    const made = await node(far).fetch("/api/v1/tokens", { name: "looker", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const headers = { authorization: `Bearer ${token}` };
    const init = { headers };
    t.equal((await node(far).fetch(place(), undefined, init)).status, 200, "a token that was made here");
    const stop = await node(far).fetch(`${place()}/stop`, undefined, { method: "POST", headers });
    t.equal(errorSchema.parse(await stop.json()).error.code, "permission_denied", "may what its role may");
    const isKnown = async (): Promise<boolean> =>
      (await node(await owner()).fetch(place(), undefined, init)).status === 200;
    await until("the owner knows the token as well", isKnown);
    const missing = await node(far).fetch(`${place()}/actions/none/before.png`);
    t.equal(
      errorSchema.parse(await missing.json()).error.code,
      "not_found",
      "refusals come back as they are",
    );
    const audit = JSON.stringify(await (await node(await owner()).fetch("/api/v1/audit?limit=200")).json());
    t.match(
      audit,
      new RegExp(`"input.taken_over".*"ip":"127.0.0.1".*"via":"${far}"`),
      "from where, and by whom",
    );
    const forged = await fetch(`${node(far).url}${place()}`, {
      headers: { [CALL_HEADER]: writeCall({ node: "a", caller: { id: "x", name: "x", role: "admin" } }) },
    });
    t.equal(forged.status, 401, "who is no node is not believed");
  });

  await t.test("MCP: an agent at one node sees and acts on the desktop of another one", async (t) => {
    const has = await owner();
    const [far = ""] = await others();
    const agent = await node(far).agent({ name: "far agent" });
    const list = z
      .object({ connections: z.array(z.looseObject({ id: z.string(), is_active: z.boolean() })) })
      .parse(await agent.call("list_connections"));
    t.same(
      list.connections.map((one) => [one.id, one.is_active]),
      [[id, true]],
    );
    const shot = await agent.shot({ connection_id: id });
    t.equal(differenceOf(shot, await screen.shot()), null, "the X server's own picture");
    const window = await screen.openButtonProbe("120x90+20+20", "agents");
    const { facts } = await agent.shot();
    await agent.call("click_at", { x: 60, y: 50 });
    await until("the click on the desktop", () => window.presses().length === 1, SLOW_MS);
    t.same(window.presses(), [{ x: 60, y: 50, button: 1 }], "where it names no desktop, the only one");
    const noted = await agent.picture("annotate_screenshot", {
      screenshot_id: facts["screenshot_id"],
      annotations: [{ type: "rect", x: 5, y: 5, width: 50, height: 40 }],
    });
    t.equal(noted.width, 400, "what another node made is found there");
    const unknown = await agent
      .call("click_at", { connection_id: id, x: 5000, y: 5 })
      .catch((error) => error);
    t.match(unknown, { code: "out_of_bounds" }, "refusals come back as they are");
    const read = await fetch(`${node(far).url}/mcp`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${node(far).adminToken}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: `screen://${id}` } },
      }),
    });
    const blob = /"blob":"([^"]+)"/.exec(await read.text())?.[1] ?? "";
    const seen = await decodePicture(Buffer.from(blob, "base64"));
    t.equal(differenceOf(seen, await screen.shot()), null, "its resource too");
    const audit = JSON.stringify(await (await node(has).fetch("/api/v1/audit?limit=200")).json());
    t.match(audit, new RegExp(`"mcp.tool_call".*"action":"click_at".*"via":"${far}"`));
    const done = JSON.stringify(await (await node(far).fetch(`${place()}/actions`)).json());
    t.match(done, /far agent/, "people are told of it by the name that its program has");
    const own = JSON.stringify(await (await node(far).fetch("/api/v1/audit?limit=200")).json());
    t.notMatch(own, /"action":"click_at"/, "told once, where it was done");
  });

  await t.test("a secret that is stored at one node is typed at any that has the desktop", async (t) => {
    const value = "Zq7!vX canary-9913 {end}";
    const folder = mkdtempSync(join(tmpdir(), "oc-typed-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "typed");
    // It does not echo: what a secret leaves on the screen stays covered, from the viewers of later tests too.
    const prompt = `stty raw -echo; : > '${file}'; exec cat > '${file}'`;
    const window = await screen.openTerminal("prompt", "20x4+240+200", prompt);
    await screen.command("xdotool", "windowfocus", "--sync", window);
    await until("the prompt", () => existsSync(file));
    const read = (): string => readFileSync(file, "utf8");
    const has = await owner();
    const [far = ""] = await others();
    const secret = (name: string, method: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${node(name).adminToken}`,
        "content-type": "application/json",
      };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return node(name).fetch("/api/v1/secrets/bank", undefined, init);
    };
    t.equal((await secret(far, "PUT", { value, desktops: [id], agents: ["*"] })).status, 201);
    const agent = await node(far).agent();
    /** Its refusal, which has typed nothing; null where it is typed. */
    const type = (): Promise<string | null> =>
      agent.call("type_text", { connection_id: id, text: "{{secret:bank}}" }).then(
        () => null,
        (error: unknown) => (error instanceof ToolRefusal ? error.code : String(error)),
      );
    await until("it is typed", async () => (await type()) === null, SLOW_MS);
    await until("it has come", () => read() === value, SLOW_MS);
    const drain = (isDraining: boolean) =>
      node(far).fetch(`/api/v1/fleet/nodes/${has}/drain`, { is_draining: isDraining });
    await drain(true);
    await until("the next node has it", async () => (await owner().catch(() => has)) !== has, SLOW_MS);
    await until("it is typed by the next node", async () => (await type()) === null, SLOW_MS);
    await until("it has come again", () => read() === `${value}${value}`, SLOW_MS);
    await drain(false);
    t.equal((await secret(has, "DELETE")).status, 204);
    await until("it is gone for all", async () => (await type()) === "secret_unknown", SLOW_MS);
    t.equal(read(), `${value}${value}`);
    const { stdout } = await etcd.control(etcd.first, "get", "/overlay-companion/", "--prefix");
    t.match(stdout, "/overlay-companion/secrets/bank");
    const said = names.map(async (name) => {
      const { stdout, stderr } = node(name).program;
      return `${await (await node(name).fetch("/api/v1/audit?limit=200")).text()}${stdout}${stderr}`;
    });
    const all = [stdout, ...(await Promise.all(said))].join("\n");
    t.match(all, /"secret\.used"/);
    for (const form of [value, Buffer.from(value).toString("base64url").slice(0, 30)]) t.notMatch(all, form);
  });

  await t.test("a peer without a certificate of the fleet, or of another name, is refused", async (t) => {
    const has = await owner();
    const [far = ""] = await others();
    const calls = (await fleetOf(has)).nodes.find(({ name }) => name === has)?.calls ?? "";
    const caller = { id: "x", name: "x", role: "admin" };
    /** curl as a peer that nobody here wrote. */
    const call = async (as: string, ...certificate: string[]) => {
      const header = `${CALL_HEADER}: ${writeCall({ node: as, caller })}`;
      const args = ["-sS", "-k", "-i", "--max-time", "10", "-H", header, ...certificate];
      try {
        const { stdout } = await run("curl", [...args, `https://${calls}${place()}`]);
        return { code: 0, stdout };
      } catch (error) {
        return z.object({ code: z.number(), stdout: z.string() }).parse(error);
      }
    };
    const foreign = await EtcdCluster.foreignCertificate(t, far);
    const of = ({ cert, key }: { cert: string; key: string }) => ["--cert", cert, "--key", key];
    for (const certificate of [[], of(foreign)]) {
      const { code, stdout } = await call(far, ...certificate);
      t.ok(CURL_REFUSED.includes(code), `TLS ends, curl says ${code}`);
      t.equal(stdout, "");
    }
    const own = await etcd.nodeCertificate(far);
    const right = await call(far, ...of(own));
    t.match(right.stdout, new RegExp(`^HTTP/1.1 200.*"id":"${id}"`, "s"), "the right one is answered");
    for (const [as, with_] of [
      [has, own],
      ["a,b,c", own],
      ["nobody", await etcd.nodeCertificate("nobody")],
      [far, { cert: inEtcd("client.crt"), key: inEtcd("client.key") }],
    ] as const) {
      const { stdout } = await call(as, ...of(with_));
      t.match(stdout, new RegExp(`^HTTP/1.1 403.*${REFUSED_HEADER}`, "s"), `${as} is refused`);
      t.notMatch(stdout, id);
    }
  });

  /** Null once the viewer's canvas is what the X server shows, pixel for pixel. */
  const shows = async (page: Page): Promise<string | null> => {
    let difference: string | null = "nothing was drawn";
    await until(
      "the same picture",
      async () => {
        const seen = await viewerShot(page);
        if (seen !== null) difference = differenceOf(seen, await screen.shot());
        return difference === null;
      },
      SLOW_MS,
    ).catch(() => undefined);
    return difference;
  };

  await t.test(
    "a viewer at a node sees and acts on the desktop of another one, and follows it",
    async (t) => {
      const has = await owner();
      const [near = "", third = ""] = await others();
      const { page } = await signIn(browser, node(near));
      await page.goto(`${node(near).url}/desktops/${id}`);
      t.equal(await shows(page), null);
      const probe = await screen.openButtonProbe("200x150+100+80");
      t.equal(await shows(page), null, "also what came later");
      const box = await page.locator(".viewer-frame").boundingBox();
      if (box === null) throw new Error("the viewer has no frame");
      const scale = box.width / 400;
      await page.mouse.click(box.x + 180 * scale, box.y + 140 * scale);
      await until("the click on the desktop", () => probe.presses().length === 1, SLOW_MS);
      t.same(probe.presses(), [{ x: 180, y: 140, button: 1 }]);
      const held = desktopSchema.parse(await (await node(third).fetch(place())).json());
      t.equal(held.holder?.kind, "human", "told of by all");
      const audit = JSON.stringify(await (await node(has).fetch("/api/v1/audit?limit=200")).json());
      t.match(audit, new RegExp(`"viewer.joined".*"via":"${near}"`));

      await node(has).program.stop("SIGKILL");
      alive.delete(has);
      const beganMs = performance.now();
      await screen.command("xsetroot", "-mod", "5", "3", "-fg", "#a02030", "-bg", "#101010");
      t.equal(await shows(page), null, "its owner is killed: the same viewer is back by itself");
      t.comment(
        `the viewer showed what is there ${Math.round(performance.now() - beganMs)} ms after the kill`,
      );
      t.not(await owner(), has);
      t.equal(new URL(page.url()).pathname, `/desktops/${id}`);
    },
  );
}
