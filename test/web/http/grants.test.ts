import t from "tap";
import * as z from "zod";
import { permissionsOf, ROLES, type Role } from "../../../src/auth/principal.ts";
import { eventMessageSchema } from "../../../src/web/api/api.ts";
import { type House, openHouse, SocketPeer, upgradeStatus } from "../fake-house.ts";
import { FakeRecordings, recordingSummary } from "../fake-recordings.ts";
import { ROUTES, toMethod } from "./route-table.ts";

/** Bodies with which a route gets as far as its desktop or recording. */
const BODIES: Readonly<Record<string, object>> = {
  "/api/v1/desktops/:id/mode": { mode: "passive" },
  "/api/v1/desktops/:id/masks": { rect: { x: 1, y: 1, width: 5, height: 5 }, audiences: ["agent"] },
  "/api/v1/desktops/:id/rules": { rules: {} },
  "/api/v1/desktops/:id/rules/try": { rules: {}, subject: "keyboard" },
  "/api/v1/desktops/:id/connection": { name: "renamed" },
  "/api/v1/recordings/:id": { name: "renamed" },
  "/api/v1/recordings/:id/markers": { at_ms: 0, label: "here" },
  "/api/v1/recordings/:id/bookmarks": { label: "here" },
  "/api/v1/desktops/:id/replay": { is_playing: false },
  "/api/v1/approvals/:id": { decision: "deny" },
};

const QUERIES: Readonly<Record<string, string>> = {
  "/api/v1/recordings/:id/search": "?query=x",
  "/api/v1/recordings/:id/text": "?at_ms=0",
  "/api/v1/recordings/:id/run": "?at_ms=0",
};

/** What answers of two addresses may differ in: nothing but the moment. */
interface Told {
  readonly status: number;
  readonly body: string;
}

interface GrantedHouse extends House {
  ask(token: string, method: string, url: string): Promise<Told>;
  tokenFor(role: Role, desktops: readonly string[] | null): Promise<string>;
}

/** Two desktops with a recording each: d1 has r1, d2 has r2. Nobody has r9 or d9. */
async function openGranted(t: Parameters<typeof openHouse>[0]): Promise<GrantedHouse> {
  const recordings = new FakeRecordings();
  recordings.entries = [
    { atMs: 1, type: "bookmark", label: "harbour", by: { kind: "human", id: "ann", name: "Ann" } },
  ];
  recordings.keep(recordingSummary({ id: "r1", desktopId: "d1" }));
  recordings.keep(recordingSummary({ id: "r2", desktopId: "d2" }));
  const replays = {
    open: async () => ({ id: "d3" }),
    player: () => ({
      state: { positionMs: 0, durationMs: 1000, isPlaying: false, speed: 1 },
      play: () => {},
      pause: () => {},
      seek: async () => {},
      setSpeed: () => {},
    }),
  };
  const house = await openHouse(t, { rateTiers: { isOn: false }, recordings, replays });
  house.desktops.open("d2");
  return {
    ...house,
    tokenFor: async (role, desktops) => (await house.tokens.create(role, role, { desktops })).token,
    async ask(token, method, url) {
      const pattern = url.replace(/\/(?:[dr]\d|question-d\d)(?=\/|$)/, "/:id");
      const payload = method === "GET" ? undefined : BODIES[pattern];
      const answer = await house.app.inject({
        method: toMethod(method),
        url: `${url}${QUERIES[pattern] ?? ""}`,
        headers: { authorization: `Bearer ${token}` },
        ...(payload === undefined ? {} : { payload }),
      });
      return { status: answer.statusCode, body: answer.body };
    },
  };
}

const LIMITED = ROLES.filter((role) => role !== "admin");
const OF_DESKTOPS = ROUTES.filter(([, url]) => url.includes("/desktops/:id"));
const OF_RECORDINGS = ROUTES.filter(([, url]) => url.includes("/api/v1/recordings/:id"));

function at(url: string, id: string): string {
  return url.replace(":id", id).replace(":index", "0").replace(/:\w+/g, "none");
}

for (const role of LIMITED) {
  t.test(
    `${role}: a desktop outside the grant is answered as one that is not there, on every route`,
    async (t) => {
      const { ask, tokenFor, desktops } = await openGranted(t);
      const granted = await tokenFor(role, ["d2"]);
      const whole = await tokenFor(role, null);
      for (const [id, unknown, routes] of [
        ["d1", "d9", OF_DESKTOPS],
        ["r1", "r9", OF_RECORDINGS],
      ] as const) {
        for (const [method, url, access] of routes) {
          if (access === "page") continue;
          const text = `${method} ${url}`;
          const outside = await ask(granted, method, at(url, id));
          t.strictSame(outside, await ask(granted, method, at(url, unknown)), text);
          t.ok([403, 404, 426].includes(outside.status), `${text}: ${outside.status}`);
          const isRight = access !== "open" && access !== "entry" && access !== "signed-in";
          const isLet =
            isRight && permissionsOf({ id: "", name: "", role, desktops: ["d2"] }).includes(access);
          t.equal(outside.status === 403, !isLet, `${text} as far as the role goes`);
          // What the grant is for is as it would be without one.
          const own = id === "d1" ? "d2" : "r2";
          if (isLet) {
            const [mine, theirs] = [
              await ask(granted, method, at(url, own)),
              await ask(whole, method, at(url, own)),
            ];
            t.equal(mine.status, theirs.status, `${text} within the grant`);
          }
        }
      }
      t.strictSame(desktops.get("d1").calls, [], "nothing was done to it");
      t.strictSame(desktops.get("d1").snapshots, []);
      t.equal(desktops.get("d1").masks.all.length, 0);
    },
  );
}

t.test("lists, questions, grants and readiness hold what the grant holds", async (t) => {
  const { ask, tokenFor, desktops } = await openGranted(t);
  for (const id of ["d1", "d2"]) {
    desktops.get(id).ask(`question-${id}`);
    desktops.get(id).standing = [
      {
        ...{ id: `grant-${id}`, scope: "Click left here", kind: "click", area: null, uses: 2 },
        actor: { kind: "agent", id: "bot", name: "Bot" },
        by: { kind: "human", id: "ann", name: "Ann" },
        ...{ givenAt: "2026-11-21T08:10:00.000Z", expiresAt: "2026-11-21T08:20:00.000Z" },
      },
    ];
  }
  const token = await tokenFor("operator", ["d2"]);
  const ids = async (url: string, name = "id"): Promise<unknown[]> =>
    z
      .array(z.record(z.string(), z.unknown()))
      .parse(JSON.parse((await ask(token, "GET", url)).body))
      .map((one) => one[name]);
  t.strictSame(await ids("/api/v1/desktops"), ["d2"]);
  t.strictSame(await ids("/api/v1/approvals"), ["question-d2"]);
  t.strictSame(await ids("/api/v1/grants"), ["grant-d2"]);
  t.strictSame(await ids("/api/v1/recordings"), ["r2"]);
  const { hits } = z
    .object({ hits: z.array(z.object({ recording_id: z.string() })).min(1) })
    .parse(JSON.parse((await ask(token, "GET", "/api/v1/recordings/search?text=harbour")).body));
  t.ok(
    hits.every(({ recording_id }) => recording_id === "r2"),
    "a search in all is one in these",
  );
  for (const [method, url] of [
    ["GET", "/api/v1/approvals/X/picture.png"],
    ["POST", "/api/v1/approvals/X"],
    ["DELETE", "/api/v1/grants/X"],
  ] as const) {
    const kind = url.includes("grants") ? "grant" : "question";
    const outside = await ask(token, method, url.replace("X", `${kind}-d1`));
    t.strictSame(outside, await ask(token, method, url.replace("X", `${kind}-d9`)), url);
  }
  t.strictSame(desktops.get("d1").decisions, []);
  t.equal(desktops.get("d1").standing.length, 1);
});

t.test("a recording is begun on a desktop of the grant alone", async (t) => {
  const { app, tokenFor } = await openGranted(t);
  const headers = { authorization: `Bearer ${await tokenFor("operator", ["d2"])}` };
  const begin = async (desktop_id: string) => {
    const answer = await app.inject({
      ...{ method: "POST", url: "/api/v1/recordings", headers, payload: { desktop_id } },
    });
    return { status: answer.statusCode, body: answer.body };
  };
  t.equal((await begin("d2")).status, 201);
  const outside = await begin("d1");
  t.equal(outside.status, 404);
  t.strictSame(outside, await begin("d9"));
});

t.test("readiness is judged by the desktops of the grant", async (t) => {
  const asked: string[] = [];
  const house = await openHouse(t, {
    monitoring: {
      metrics: async () => ({ type: "text/plain", text: "" }),
      readiness: async (isTold) => {
        asked.push(...["d1", "d2"].filter(isTold));
        return { status: "ready", parts: PARTS };
      },
    },
  });
  const { token } = await house.tokens.create("v", "viewer", { desktops: ["d2"] });
  await house.app.inject({ url: "/readyz", headers: { authorization: `Bearer ${token}` } });
  t.strictSame(asked, ["d2"]);
});

const PART = { ok: true, detail: "", advice: null };
const PARTS = {
  ...{ targets: PART, disk: PART, audit: PART, audit_receivers: PART, recorder: PART, event_loop: PART },
};

t.test("sockets show the desktops of the grant, and the events socket tells of no other", async (t) => {
  const house = await openGranted(t);
  const host = await house.listen();
  const headers = { authorization: `Bearer ${await house.tokenFor("approver", ["d2"])}` };
  for (const [url, status] of [
    ["/ws/desktops/d2", 101],
    ["/ws/desktops/d1", 404],
    ["/ws/desktops/d9", 404],
    ["/ws/overlays?desktop=d2", 101],
    ["/ws/overlays?desktop=d1", 404],
    ["/websockify", 101],
  ] as const)
    t.equal(await upgradeStatus(`ws://${host}${url}`, headers), status, url);
  t.strictSame(
    house.rfb.map(({ desktopId }) => desktopId),
    ["d2", "d2"],
    "the first that it has, not the first of the house",
  );
  const nowhere = { authorization: `Bearer ${await house.tokenFor("viewer", ["d9"])}` };
  t.equal(await upgradeStatus(`ws://${host}/websockify`, nowhere), 404);

  const { desktops, clients } = house;
  desktops.get("d1").ask("question-d1");
  const peer = new SocketPeer(t, `ws://${host}/ws/events`, headers);
  const next = async () => eventMessageSchema.parse(await peer.next());
  const hello = await next();
  t.match(hello, { type: "hello", approvals: [], grants: [], clients: [] });
  t.strictSame(hello.type === "hello" && hello.desktops.map(({ id }) => id), ["d2"]);
  clients.add("claude-code");
  for (const id of ["d1", "d2"]) {
    const desktop = desktops.get(id);
    desktop.emit({ type: "clipboard", text: "12345" });
    desktop.setHolding(true, { kind: "human", id: "ann", name: "Ann" });
    desktop.ask(`asked-${id}`);
  }
  await desktops.remove("d1");
  desktops.open("d3");
  await desktops.remove("d2");
  const told: string[] = [];
  for (let last = ""; last !== "desktop_removed"; ) {
    const message = await next();
    last = message.type;
    told.push(JSON.stringify(message));
  }
  t.notMatch(told.join("\n"), /d1|d3|claude-code/);
  for (const type of ["clipboard", "holder", "approval", "desktop_removed"])
    t.equal(told.filter((json) => json.startsWith(`{"type":"${type}"`)).length, 1, type);
});

t.test(
  "a credential for certain desktops makes none, moves none and learns nothing of the house",
  async (t) => {
    const { app, tokens } = await openHouse(t, { rateTiers: { isOn: false } });
    for (const role of LIMITED) {
      const { token } = await tokens.create(role, role, { desktops: ["d1"] });
      const headers = { authorization: `Bearer ${token}` };
      for (const [method, url] of [
        ["POST", "/api/v1/desktops"],
        ["POST", "/api/v1/desktops/test"],
        ["PUT", "/api/v1/desktops/d1/connection"],
        ["DELETE", "/api/v1/desktops/d1"],
        ["POST", "/api/v1/recordings/r1/replay"],
        ["GET", "/metrics"],
        ["GET", "/api/v1/tokens"],
      ] as const)
        t.equal((await app.inject({ method, url, headers })).statusCode, 403, `${role} ${method} ${url}`);
    }
  },
);
