import t from "tap";
import type { AuditEntry } from "../../../src/audit/audit-event.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { openHouse, SocketPeer } from "../fake-house.ts";
import { FakeRecordings, recordingSummary } from "../fake-recordings.ts";

/** An audit log whose disk is full until `isFull` is false. */
class FullAudit {
  readonly entries: AuditEntry[] = [];
  isFull = true;

  get isWorking(): boolean {
    return !this.isFull;
  }

  record(entry: AuditEntry): void {
    this.entries.push(entry);
  }

  async secured(): Promise<void> {
    if (this.isFull) throw new RefusedError("audit_down", "the audit log cannot be written");
  }
}

t.test("nothing changes that cannot be written down first, and people may stop all the same", async (t) => {
  const audit = new FullAudit();
  const { app, desktops, bearer } = await openHouse(t, { audit });
  const desktop = desktops.get("d1");
  const post = (path: string, payload: object = {}) =>
    app.inject({ method: "POST", url: `/api/v1/${path}`, headers: bearer("admin"), payload });
  const mode = desktop.mode;
  for (const [path, payload] of [
    ["desktops/d1/mode", { mode: "autopilot" }],
    ["desktops/d1/resume", {}],
    ["desktops/d1/give-back", {}],
    ["desktops", { protocol: "vnc", host: "10.0.0.1" }],
    ["approvals/none", { decision: "approve" }],
  ] as const) {
    const answer = await post(path, payload);
    t.equal(answer.statusCode, 503, path);
    t.match(answer.json(), { error: { code: "audit_down", hint: /Stop works/ } });
  }
  t.equal(desktop.mode, mode);
  t.equal(desktops.all.length, 1);
  const config = await app.inject({ url: "/config", headers: bearer("admin") });
  t.equal(config.statusCode, 503, "no token is handed out untold");
  t.equal((await app.inject({ url: "/config", headers: bearer("viewer") })).statusCode, 200);
  t.same((await app.inject({ url: "/health" })).json(), { status: "degraded", reason: "audit_down" });
  t.equal((await post("desktops/d1/stop")).statusCode, 200);
  t.equal(desktop.isStopped, true);
  t.equal((await post("desktops/d1/take-over")).statusCode, 200);
  t.equal((await post("approvals/none", { decision: "deny" })).statusCode, 404, "a no is always heard");
  t.equal((await app.inject({ url: "/api/v1/desktops", headers: bearer("viewer") })).statusCode, 200);
  audit.isFull = false;
  t.equal((await post("desktops/d1/resume")).statusCode, 200);
  t.same((await app.inject({ url: "/health" })).json(), { status: "ok" });
});

t.test("what is about to change is told with who asks, from where, and for what", async (t) => {
  const { app, audited, bearer } = await openHouse(t);
  const ask = (url: string, method: "POST" | "DELETE" = "POST", payload?: object) =>
    app.inject({
      method,
      url,
      headers: bearer("operator"),
      remoteAddress: "192.0.2.7",
      ...(payload === undefined ? {} : { payload }),
    });
  t.equal((await ask("/api/v1/desktops/d1/reconnect")).statusCode, 200);
  const actor = { name: "the operator", kind: "human", role: "operator", ip: "192.0.2.7" };
  const resource = { kind: "desktop", id: "d1" };
  t.match(audited, [
    { type: "change.requested", actor, resource, request: { path: "/api/v1/desktops/:id/reconnect" } },
    { type: "session.reconnect_requested", actor, resource },
  ]);
});

t.test("a change that was told of and then not done is told to have failed, with the reason", async (t) => {
  const { app, audited, bearer } = await openHouse(t);
  const ask = (method: "DELETE" | "POST" | "PUT", url: string, payload?: object) =>
    app.inject({ method, url, headers: bearer("admin"), ...(payload === undefined ? {} : { payload }) });
  const resource = { kind: "desktop", id: "none" };
  t.equal((await ask("DELETE", "/api/v1/desktops/none")).statusCode, 404);
  t.match(audited, [
    { type: "change.requested", resource, errorCode: undefined },
    { type: "change.failed", resource, actor: { name: "the admin" }, errorCode: "not_found" },
  ]);
  t.match(audited[1]?.request, { method: "DELETE", path: "/api/v1/desktops/:id" });
  audited.length = 0;
  t.equal((await ask("PUT", "/api/v1/desktops/d1/rules", { rules: 1 })).statusCode, 400);
  t.match(
    audited.map(({ type, errorCode }) => [type, errorCode]),
    [
      ["change.requested", undefined],
      ["change.failed", "invalid_parameters"],
    ],
  );
  audited.length = 0;
  t.equal((await ask("POST", "/api/v1/desktops/d1/reconnect")).statusCode, 200);
  t.notOk(
    audited.some(({ type }) => type === "change.failed"),
    "nor is one that was done",
  );
});

t.test("a request is told with where it stands in its caller's trace", async (t) => {
  const { app, audited, bearer } = await openHouse(t);
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  for (const headers of [{ ...bearer("operator"), traceparent }, bearer("operator")]) {
    await app.inject({ method: "POST", url: "/api/v1/desktops/d1/reconnect", headers });
  }
  const told = audited.filter(({ type }) => type === "change.requested");
  t.same(
    told.map(({ request }) => request?.trace),
    [{ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true }, null],
  );
});

t.test("tokens that are shown, pictures and sockets of people are told", async (t) => {
  const recordings = new FakeRecordings();
  recordings.keep(recordingSummary());
  const house = await openHouse(t, { recordings });
  const { app, audited, bearer, clock } = house;
  const get = (url: string) => app.inject({ url, headers: bearer("admin") });
  await get("/config");
  t.match(audited, [{ type: "token.shown", actor: { name: "the admin", ip: "127.0.0.1" } }]);
  audited.length = 0;
  for (let n = 0; n < 5; n++) await get("/api/v1/desktops/d1/screenshot.png");
  t.match(audited, [{ type: "screenshot.taken", resource: { id: "d1" }, counts: { since_last: 0 } }]);
  t.equal(audited.length, 1, "thumbnails are many: one a minute");
  clock.advance(60_000);
  await get("/api/v1/desktops/d1/screenshot.png");
  t.match(audited[1], { counts: { since_last: 4 } });
  audited.length = 0;
  for (const part of ["chunks/0", "run?at_ms=0", "pointer", "search?query=x", "frame.png"]) {
    await get(`/api/v1/recordings/r1/${part}`);
  }
  t.match(
    audited.map(({ type, action, resource }) => ({ type, action, resource })),
    ["chunk", "run", "pointer", "search", "frame"].map((action) => ({
      type: "recording.viewed",
      action,
      resource: { kind: "recording", id: "r1" },
    })),
  );
  audited.length = 0;
  const host = await house.listen();
  for (const path of ["events", "overlays?desktop=d1"]) {
    const peer = new SocketPeer(t, `ws://${host}/ws/${path}`, bearer("viewer"));
    await peer.opened;
    await peer.next();
    peer.socket.close();
    await peer.closed;
  }
  await t.resolves(untilTold(audited, 4));
  t.match(
    audited.map(({ type, action, actor }) => ({ type, action, actor })),
    ["events", "events", "overlays", "overlays"].map((action, nth) => ({
      type: nth % 2 === 0 ? "viewer.joined" : "viewer.left",
      action,
      actor: { name: "the viewer", ip: "127.0.0.1" },
    })),
  );
});

t.test("guesses while an address is locked out are told once a minute, with how many", async (t) => {
  const { app, audited, clock } = await openHouse(t);
  const guess = (url: string) =>
    app.inject({ url, headers: { authorization: "Bearer wrong-guess-0123456789" } });
  for (let n = 0; n < 5; n++) await guess("/api/v1/me");
  audited.length = 0;
  for (let n = 0; n < 7; n++) t.equal((await guess("/api/v1/me")).statusCode, 429);
  t.match(audited, [{ type: "auth.locked", errorCode: "locked_out", actor: { ip: "127.0.0.1" } }]);
  t.equal(audited.length, 1);
  clock.advance(60_000);
  await guess("/api/v1/me");
  for (let n = 0; n < 2; n++) await guess("/api/v1/me");
  t.match(audited.at(-1), { type: "auth.locked", counts: { since_last: 6 } });
});

async function untilTold(entries: readonly AuditEntry[], count: number): Promise<void> {
  while (entries.length < count) await new Promise((resolve) => setImmediate(resolve));
}
