import t from "tap";
import { unseenEffect } from "../../src/desktop/control/action.ts";
import { LinkError } from "../../src/desktop/error.ts";
import { type ReadinessPorts, readinessOf } from "../../src/monitoring/readiness.ts";
import {
  actionSchema,
  approvalSchema,
  configSchema,
  desktopSchema,
  errorSchema,
  overlaySchema,
  testReportSchema,
} from "../../src/web/api/api.ts";
import { TOKEN_BLANK } from "../../src/web/api/client-snippets.ts";
import { AGENT_TOKEN, openHouse, WELL } from "./fake-house.ts";

t.test("health tells who is signed in of browsers and sessions, and nobody else", async (t) => {
  const { app, bearer } = await openHouse(t);
  const told = async (headers: Record<string, string> = {}) =>
    (await app.inject({ url: "/health", headers })).json();
  t.strictSame(await told(), { status: "ok" });
  t.strictSame(await told(bearer("admin")), { status: "ok", extensionConnected: false, sessions: 3 });
  t.strictSame(
    await told(bearer("agent")),
    { status: "ok", extensionConnected: false, sessions: 1 },
    "its own",
  );
  const wrong = await app.inject({ url: "/health", headers: { authorization: "Bearer wrong" } });
  t.equal(wrong.statusCode, 401);
});

t.test("health is open and says nothing; readiness names each part", async (t) => {
  const { app, bearer } = await openHouse(t);
  t.strictSame((await app.inject({ url: "/health" })).json(), { status: "ok" });
  t.strictSame((await app.inject({ url: "/livez", headers: bearer("viewer") })).json(), { status: "ok" });
  const ready = await app.inject({ url: "/readyz", headers: bearer("viewer") });
  t.equal(ready.statusCode, 200);
  t.match(ready.json(), {
    status: "ready",
    parts: { targets: { ok: true, detail: "1 desktops, none away" } },
  });
});

t.test("who is not ready says so by its status, but not for a target", async (t) => {
  const answer = async (change: Partial<ReadinessPorts>) => {
    const readiness = () => readinessOf({ ...WELL, ...change });
    const metrics = () => Promise.reject(new Error("nobody asks"));
    const { app, bearer } = await openHouse(t, { monitoring: { metrics, readiness } });
    return (await app.inject({ url: "/readyz", headers: bearer("viewer") })).statusCode;
  };
  t.equal(await answer({ targets: () => [{ id: "d1", state: { kind: "failed" } }] }), 200);
  t.equal(await answer({ audit: () => ({ isWorking: false, waiting: 1, dropped: 0, receivers: [] }) }), 503);
});

t.test("agents are not told how all are served", async (t) => {
  const { app, bearer } = await openHouse(t);
  const answer = await app.inject({ url: "/metrics", headers: bearer("viewer") });
  t.equal(answer.body, "oc_viewers 0\n");
  t.equal(answer.headers["content-type"], "text/plain; version=0.0.4");
  t.equal((await app.inject({ url: "/metrics", headers: bearer("agent") })).statusCode, 403);
});

t.test("desktops are told in the schema's words, in every state", async (t) => {
  const { app, bearer, clock, clients, desktops } = await openHouse(t);
  const desktop = desktops.get("d1");
  const error = new LinkError("auth_failed", "the password is wrong");
  const nowMs = clock.nowMs();
  clients.sawAgent("d1", "claude-code");
  const told = async () =>
    desktopSchema
      .strict()
      .parse((await app.inject({ url: "/api/v1/desktops/d1", headers: bearer("viewer") })).json());
  t.match(await told(), {
    link: "RFB 3.8, None",
    state: { kind: "live", text: "Live", code: null, retry_at: null },
    displays: [{ monitor_index: 0, is_primary: true, bounds: { width: 640 } }],
    agents: ["claude-code"],
  });
  desktop.state = { kind: "connecting", sinceMs: nowMs };
  t.match(await told(), { link: "", state: { text: "Connecting…" } });
  desktop.state = { kind: "stalled", sinceMs: nowMs };
  clock.advance(12_000);
  t.match(await told(), {
    state: { text: "Stalled, last picture 12 s ago", since: "2026-11-21T00:00:00.000Z" },
  });
  desktop.state = { kind: "reconnecting", attempt: 2, nextAtMs: clock.nowMs() + 3000, error };
  t.match(await told(), {
    state: {
      text: "Reconnecting in 3 s: the password is wrong",
      code: "auth_failed",
      retry_at: "2026-11-21T00:00:15.000Z",
    },
  });
  desktop.state = { kind: "failed", error };
  t.match(await told(), { state: { text: "Failed: the password is wrong", code: "auth_failed" } });
  desktop.state = { kind: "closed" };
  t.match(await told(), { state: { text: "Closed" } });
  clock.advance(60_000);
  t.strictSame((await told()).agents, []);
});

t.test("a desktop is added, tested and removed, and its password comes back nowhere", async (t) => {
  const { app, bearer, desktops, audited } = await openHouse(t);
  const headers = bearer("operator");
  const payload = { protocol: "vnc", host: "10.0.0.7", port: 5901, password: "pass-word-1" };
  const tested = await app.inject({ method: "POST", url: "/api/v1/desktops/test", headers, payload });
  t.match(testReportSchema.strict().parse(tested.json()), {
    success: true,
    steps: [{ name: "Connect", ok: true }],
  });
  const added = await app.inject({ method: "POST", url: "/api/v1/desktops", headers, payload });
  t.equal(added.statusCode, 201);
  t.equal(added.headers.location, "/api/v1/desktops/added-2");
  t.match(desktops.inputs, [{ host: "10.0.0.7", password: "pass-word-1" }, payload]);
  t.notOk(`${tested.body}${added.body}${JSON.stringify(audited)}`.includes("pass-word-1"));
  const list = await app.inject({ url: "/api/v1/desktops", headers });
  t.equal(desktopSchema.strict().array().parse(list.json()).length, 2);
  const removed = await app.inject({ method: "DELETE", url: "/api/v1/desktops/added-2", headers });
  t.equal(removed.statusCode, 204);
  const again = await app.inject({ method: "DELETE", url: "/api/v1/desktops/added-2", headers });
  t.equal(again.statusCode, 404);
  t.match(
    audited.map(({ type, request, actor }) => [type, request?.method, request?.path, actor?.name]),
    [
      ["change.requested", "POST", "/api/v1/desktops/test", "the operator"],
      ["change.requested", "POST", "/api/v1/desktops", "the operator"],
      ["change.requested", "DELETE", "/api/v1/desktops/:id", "the operator"],
      ["change.requested", "DELETE", "/api/v1/desktops/:id", "the operator"],
    ],
  );
});

t.test("refusals of the heart keep their code and become the right status", async (t) => {
  const { app, bearer } = await openHouse(t);
  const payload = { protocol: "vnc", host: "169.254.169.254" };
  const refused = await app.inject({
    method: "POST",
    url: "/api/v1/desktops",
    headers: bearer("admin"),
    payload,
  });
  t.equal(refused.statusCode, 403);
  t.match(errorSchema.parse(refused.json()), {
    error: { code: "permission_denied", message: /not allowed/ },
  });
  const unknown = await app.inject({ url: "/api/v1/desktops/none/actions", headers: bearer("admin") });
  t.equal(unknown.statusCode, 404);
});

t.test("connection tests are limited to ten a minute for each address", async (t) => {
  const { app, bearer, clock, desktops } = await openHouse(t);
  const test = (remoteAddress: string) =>
    app.inject({
      method: "POST",
      url: "/api/v1/desktops/test",
      headers: bearer("admin"),
      payload: { protocol: "vnc", host: "10.0.0.7" },
      remoteAddress,
    });
  for (let n = 0; n < 10; n++) t.equal((await test("10.0.0.1")).statusCode, 200);
  const limited = await test("10.0.0.1");
  t.equal(limited.statusCode, 429);
  t.equal(limited.headers["retry-after"], "6");
  t.equal((await test("10.0.0.2")).statusCode, 200);
  clock.advance(6000);
  t.equal((await test("10.0.0.1")).statusCode, 200);
  t.equal(desktops.inputs.length, 12);
});

t.test("mode, stop, resume and reconnect act in the name of who asked", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const post = (name: string, payload: object, role: "approver" | "admin" = "approver") =>
    app.inject({ method: "POST", url: `/api/v1/desktops/d1/${name}`, headers: bearer(role), payload });
  t.match((await post("mode", { mode: "autopilot" }, "admin")).json(), { mode: "autopilot" });
  t.equal((await post("mode", { mode: "assist" })).statusCode, 403, "modes are not an approver's");
  t.match((await post("stop", {})).json(), { is_stopped: true });
  t.match((await post("resume", {})).json(), { is_stopped: false });
  t.equal((await post("reconnect", {})).statusCode, 200);
  t.equal((await post("mode", { mode: "sleep" }, "admin")).statusCode, 400);
  t.strictSame(desktops.get("d1").calls, [
    "mode autopilot by human the admin",
    "stop by human the approver",
    "resume by human the approver",
    "reconnect",
  ]);
});

t.test("actions are listed as they were recorded", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  desktops.get("d1").actions = [
    {
      id: "r",
      at: "2026-11-21T00:00:00.000Z",
      actor: { kind: "agent", id: "1", name: "Bot" },
      kind: "click",
      summary: "Click left at 1,2",
      intent: "open the menu",
      outcome: "done",
      code: null,
      wasConfirmed: true,
      // What changed is hidden from agents.
      recorded: { changed: true, changedRects: [] },
      effect: { ...unseenEffect(1), changed: false, settleMs: 41, generationAfter: 2 },
      durationMs: 50,
    },
  ];
  const answer = await app.inject({ url: "/api/v1/desktops/d1/actions", headers: bearer("viewer") });
  t.match(actionSchema.strict().array().parse(answer.json()), [
    { desktop_id: "d1", summary: "Click left at 1,2", changed: true, settle_ms: 41, was_confirmed: true },
  ]);
});

t.test("overlays: a person clears all, an agent only its own, and others' look like none", async (t) => {
  const { app, bearer, desktops, tokens, token } = await openHouse(t);
  const { scene } = desktops.get("d1");
  const agentId = tokens.verify(token.agent)?.id ?? "";
  scene.draw("mine", agentId);
  scene.draw("mine too", agentId);
  scene.draw("other", "somebody");
  const url = "/api/v1/desktops/d1/overlays";
  const list = await app.inject({ url, headers: bearer("viewer") });
  t.equal(overlaySchema.strict().array().parse(list.json()).length, 3);
  const remove = (id: string) =>
    app.inject({ method: "DELETE", url: `${url}/${encodeURIComponent(id)}`, headers: bearer("agent") });
  t.equal((await remove("other")).statusCode, 404);
  t.equal((await remove("none")).statusCode, 404);
  t.equal((await remove("mine")).statusCode, 204);
  const own = await app.inject({ method: "DELETE", url, headers: bearer("agent") });
  t.strictSame(own.json(), { removed_count: 1 });
  t.strictSame(
    scene.overlays.map(({ id }) => id),
    ["other"],
  );
  const all = await app.inject({ method: "DELETE", url, headers: bearer("operator") });
  t.strictSame(all.json(), { removed_count: 1 });
});

t.test("approvals are listed with the typed text and decided once", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const desktop = desktops.get("d1");
  desktop.ask("a1");
  desktop.ask("a2");
  const headers = bearer("approver");
  const list = await app.inject({ url: "/api/v1/approvals", headers });
  t.match(approvalSchema.strict().array().parse(list.json()), [
    { id: "a1", text: "typed words", state: "pending", actor: { name: "Bot" }, point: { x: 10, y: 20 } },
    { id: "a2" },
  ]);
  const decide = (id: string, decision: unknown) =>
    app.inject({ method: "POST", url: `/api/v1/approvals/${id}`, headers, payload: { decision } });
  t.equal((await decide("a1", "maybe")).statusCode, 400);
  t.match((await decide("a1", "approve")).json(), { state: "granted", decided_by: "the approver" });
  t.match((await decide("a2", "deny")).json(), { state: "denied" });
  t.equal((await decide("a1", "approve")).statusCode, 404);
  t.equal((await decide("none", "approve")).statusCode, 404);
});

t.test("the configuration holds a token for each client, for admins only, others get a blank", async (t) => {
  const { app, bearer } = await openHouse(t);
  const admin = await app.inject({ url: "/config", headers: bearer("admin") });
  const config = configSchema.strict().parse(admin.json());
  t.equal(config.endpoint, "http://localhost:80/mcp");
  t.strictSame(
    config.clients.map(({ name }) => name),
    ["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Cherry Studio", "Any other client"],
  );
  for (const { id, snippet, language, name } of config.clients) {
    t.match(snippet, new RegExp(`${AGENT_TOKEN}-${id}\\b`), name);
    t.ok(snippet.includes(config.endpoint), name);
    if (language === "json") t.equal(typeof JSON.parse(snippet), "object", name);
  }
  for (const role of ["operator", "approver", "viewer", "agent"] as const) {
    const answer = await app.inject({ url: "/config", headers: bearer(role) });
    t.notOk(answer.body.includes(AGENT_TOKEN), role);
    for (const { snippet } of configSchema.parse(answer.json()).clients) t.ok(snippet.includes(TOKEN_BLANK));
  }
  const one = await app.inject({ url: "/config?client=cursor", headers: bearer("viewer") });
  t.strictSame(
    configSchema.parse(one.json()).clients.map(({ id }) => id),
    ["cursor"],
  );
  t.equal((await app.inject({ url: "/config?client=none", headers: bearer("viewer") })).statusCode, 404);
  const stdio = await app.inject({ url: "/config/stdio", headers: bearer("agent") });
  t.strictSame(stdio.json(), {
    mcpServers: { "overlay-companion": { command: "node", args: ["main.js", "--stdio"] } },
  });
});

t.test(
  "configuration routes allow a hundred requests in a quarter of an hour, or any number when off",
  async (t) => {
    for (const isRateLimited of [true, false]) {
      const { app, bearer } = await openHouse(t, { rateTiers: { isOn: isRateLimited } });
      const headers = bearer("viewer");
      for (let n = 0; n < 100; n++) await app.inject({ url: "/config/stdio", headers });
      t.equal((await app.inject({ url: "/config", headers })).statusCode, isRateLimited ? 429 : 200);
      t.equal(
        (await app.inject({ url: "/api/v1/desktops", headers })).statusCode,
        200,
        "nothing else is limited",
      );
    }
  },
);

t.test("each tier of routes has the rate that the configuration gives it", async (t) => {
  const { app, bearer } = await openHouse(t, {
    rateTiers: { isOn: true, tiers: { configuration: "2/min", connection_tests: "1/h" } },
  });
  const ask = async (url: string) => (await app.inject({ url, headers: bearer("viewer") })).statusCode;
  for (const status of [200, 200, 429]) t.equal(await ask("/config/stdio"), status);
  const payload = { protocol: "vnc", host: "192.0.2.7", port: 5900 };
  const headers = bearer("operator");
  const test = () => app.inject({ method: "POST", url: "/api/v1/desktops/test", headers, payload });
  t.not((await test()).statusCode, 429);
  t.match(await test(), { statusCode: 429, headers: { "retry-after": "3600" } });
});

t.test("a connection is shown without its secrets, and edited with them kept or written anew", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const headers = bearer("operator");
  const desktop = desktops.get("d1");
  desktop.connection = { ...desktop.connection, username: "ada", password: "hunter2" };
  const url = "/api/v1/desktops/d1/connection";
  const shown = await app.inject({ url, headers });
  t.notMatch(shown.body, /hunter2/);
  t.strictSame(shown.json(), {
    connection: {
      ...{ name: "127.0.0.1:5900", protocol: "vnc", host: "127.0.0.1", port: 5900, username: "ada" },
      kept_secrets: ["password"],
    },
    is_stored: false,
    warnings: [],
  });
  const { connection } = shown.json();
  const put = (payload: object) => app.inject({ method: "PUT", url, headers, payload });
  t.equal((await put({ ...connection, name: "Desk" })).statusCode, 200);
  t.match(desktop.connection, { id: "d1", name: "Desk", password: "hunter2" });
  const replaced = await put({ ...connection, password: "hunter3" });
  t.notMatch(replaced.body, /hunter/);
  t.equal(desktop.connection.password, "hunter3");
  const moved = await put({ ...connection, host: "192.0.2.7" });
  t.equal(moved.statusCode, 400);
  t.match(moved.json(), { error: { message: /stored secret goes only to the place/ } });
  t.equal((await put({ ...connection, kept_secrets: ["username"] })).statusCode, 400);
});

t.test("no address is limited in what pages, agents and viewers ask for all the time", async (t) => {
  const { app, bearer, mcp } = await openHouse(t, { rateTiers: { isOn: true } });
  const call = { jsonrpc: "2.0", id: 1, method: "ping" };
  for (const [role, url, expected, payload] of [
    ["agent", "/mcp", 200, call],
    ["viewer", "/assets/app-1a2b.js", 200],
    ["viewer", "/favicon.svg", 200],
    ["viewer", "/health", 200],
    ["viewer", "/api/v1/desktops/d1/screenshot.webp?scale=0.2", 200],
    ["viewer", "/api/v1/desktops/d1/overlays", 200],
    ["operator", "/api/v1/approvals", 200],
    ["viewer", "/ws/events", 426],
    ["viewer", "/ws/desktops/d1", 426],
  ] as const) {
    const statuses = new Set<number>();
    for (let n = 0; n < 120; n++) {
      const asked = { url, headers: bearer(role) };
      const answer = await app.inject(payload === undefined ? asked : { ...asked, method: "POST", payload });
      statuses.add(answer.statusCode);
    }
    t.same([...statuses], [expected], url);
  }
  t.equal(mcp.length, 120);
});
