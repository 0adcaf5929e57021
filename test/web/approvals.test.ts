import t from "tap";
import { PICTURE } from "./fake-desktops.ts";
import { openHouse, SocketPeer } from "./fake-house.ts";

const url = (id: string): string => `/api/v1/approvals/${id}`;

t.test(
  "an approver says yes, with a change, for a while, or no; each is handed on as it was said",
  async (t) => {
    const house = await openHouse(t);
    const desktop = house.desktops.get("d1");
    const post = (id: string, payload: object) =>
      house.app.inject({ method: "POST", url: url(id), headers: house.bearer("approver"), payload });
    for (const [i, payload, decision] of [
      [1, { decision: "approve" }, { kind: "approve" }],
      [2, { decision: "approve", edit: { text: "b" } }, { kind: "approve", edit: { text: "b" } }],
      [3, { decision: "approve", edit: { x: 1, y: 2 } }, { kind: "approve", edit: { x: 1, y: 2 } }],
      [4, { decision: "approve", allow_for_ms: 600_000 }, { kind: "approve", allowForMs: 600_000 }],
      [5, { decision: "deny" }, { kind: "deny" }],
    ] as const) {
      desktop.ask(`a${i}`);
      t.equal((await post(`a${i}`, payload)).statusCode, 200);
      t.same(desktop.decisions.at(-1), decision);
    }
    desktop.ask("open");
    for (const payload of [
      {},
      { decision: "maybe" },
      { decision: "approve", edit: {} },
      { decision: "approve", edit: { x: 1 } },
      { decision: "approve", edit: { x: 1.5, y: 2 } },
      { decision: "approve", edit: { text: "x".repeat(100_001) } },
      { decision: "approve", allow_for_ms: 600_001 },
      { decision: "deny", allow_for_ms: 1000 },
      { decision: "approve", id: "another" },
    ]) {
      t.equal((await post("open", payload)).statusCode, 400, JSON.stringify(payload).slice(0, 60));
    }
    t.equal((await post("never-was", { decision: "approve" })).statusCode, 404);
  },
);

t.test("the picture of a question is its own, and gone with it", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  desktop.ask("a1");
  const headers = house.bearer("approver");
  const [asked] = (await house.app.inject({ url: "/api/v1/approvals", headers })).json();
  t.equal(asked.picture_url, "/api/v1/approvals/a1/picture.png");
  t.match(desktop.calls.splice(0), [/^words of a1 shown to \w+$/]);
  const picture = await house.app.inject({ url: asked.picture_url, headers });
  t.match(desktop.calls.splice(0), [/^all of a1 shown to \w+$/]);
  t.match(picture.headers, { "content-type": "image/png", "cache-control": "no-store" });
  t.same(new Uint8Array(picture.rawPayload), PICTURE);
  await house.app.inject({ method: "POST", url: url("a1"), headers, payload: { decision: "deny" } });
  t.equal((await house.app.inject({ url: asked.picture_url, headers })).statusCode, 404);
});

t.test("who looks at questions and at their pictures is told, each once a minute", async (t) => {
  const house = await openHouse(t);
  const { app, audited, bearer, clock } = house;
  const desktop = house.desktops.get("d1");
  const headers = bearer("approver");
  const looked = () => audited.filter(({ type }) => type === "approval.viewed");
  await app.inject({ url: "/api/v1/approvals", headers });
  t.same(looked(), [], "there was nothing to see");
  desktop.ask("a1");
  desktop.ask("a2");
  for (let n = 0; n < 3; n++) await app.inject({ url: "/api/v1/approvals", headers });
  const told = { actor: { name: "the approver", kind: "human", ip: "127.0.0.1" }, counts: { since_last: 0 } };
  t.match(looked(), [{ ...told, request: { path: "/api/v1/approvals" } }]);
  t.equal(looked().length, 1, "the list is asked for often");
  audited.length = 0;
  const get = (id: string) => app.inject({ url: `${url(id)}/picture.png`, headers });
  for (const id of ["a1", "a1", "a2", "a1"]) t.equal((await get(id)).statusCode, 200);
  t.equal((await get("never-was")).statusCode, 404);
  const request = { path: "/api/v1/approvals/:approvalId/picture.png" };
  const picture = { ...told, action: "picture", request };
  t.match(looked(), [
    { ...picture, resource: { kind: "approval", id: "a1" } },
    { ...picture, resource: { kind: "approval", id: "a2" } },
  ]);
  t.equal(looked().length, 2, "each picture once, and none where none was shown");
  clock.advance(60_000);
  await get("a1");
  t.match(looked()[2], { action: "picture", resource: { id: "a1" }, counts: { since_last: 2 } });
});

t.test("what was allowed for a while is listed, and taken back by one request", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  const actor = { kind: "agent", id: "bot", name: "Bot" } as const;
  const by = { kind: "human", id: "h", name: "Ann" } as const;
  const times = { givenAt: "2026-11-21T10:00:00.000Z", expiresAt: "2026-11-21T10:10:00.000Z" };
  desktop.standing = [
    { ...{ id: "g1", actor, by, scope: "Click left here", kind: "click", area: null, uses: 2 }, ...times },
  ];
  const headers = house.bearer("approver");
  t.match((await house.app.inject({ url: "/api/v1/grants", headers })).json(), [
    {
      id: "g1",
      desktop_id: "d1",
      actor: { name: "Bot" },
      given_by: "Ann",
      scope: "Click left here",
      uses: 2,
    },
  ]);
  const revoke = () => house.app.inject({ method: "DELETE", url: "/api/v1/grants/g1", headers });
  t.equal((await revoke()).statusCode, 204);
  t.equal((await revoke()).statusCode, 404);
  t.same(desktop.calls, ["revoked by the approver"]);
});

t.test("taking over from a card needs the right to use the desktop, and takes the input", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  desktop.ask("a1");
  const post = (role: "approver" | "operator") =>
    house.app.inject({
      method: "POST",
      url: url("a1"),
      headers: house.bearer(role),
      payload: { decision: "take_over" },
    });
  t.equal((await post("approver")).statusCode, 403);
  t.equal(desktop.pending.length, 1, "the question is still open");
  t.equal((await post("operator")).statusCode, 200);
  t.same(desktop.decisions, [{ kind: "take_over" }]);
  t.same(desktop.calls, ["take over by human the operator"]);
});

t.test("an agent's token decides, takes, gives back, resumes and raises nothing over HTTP", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  desktop.ask("a1");
  const base = "/api/v1/desktops/d1";
  for (const [path, payload] of [
    [url("a1"), { decision: "approve" }],
    [url("a1"), { decision: "deny" }],
    [url("a1"), { decision: "take_over" }],
    [`${base}/mode`, { mode: "autopilot" }],
    [`${base}/mode`, { mode: "custom", metadata: { pointer: "allow" } }],
    [`${base}/resume`, {}],
    [`${base}/take-over`, {}],
    [`${base}/give-back`, {}],
  ] as const) {
    const response = await house.app.inject({
      method: "POST",
      url: path,
      headers: house.bearer("agent"),
      payload,
    });
    t.equal(response.statusCode, 403, `${path} ${JSON.stringify(payload)}`);
  }
  const list = await house.app.inject({ url: "/api/v1/approvals", headers: house.bearer("agent") });
  t.equal(list.statusCode, 403, "it does not even see the questions");
  t.same(desktop.decisions, []);
  t.same(desktop.calls, []);
  t.ok(house.audited.filter(({ type }) => type === "authz.denied").length >= 9, "each try is audited");
});

t.test("an agent's event socket hears who holds the input, and no question", async (t) => {
  const house = await openHouse(t);
  const address = await house.listen();
  const agent = new SocketPeer(t, `ws://${address}/ws/events`, house.bearer("agent"));
  const person = new SocketPeer(t, `ws://${address}/ws/events`, house.bearer("approver"));
  await Promise.all([agent.opened, person.opened]);
  t.match(await agent.next(), { type: "hello", approvals: [] });
  t.match(await person.next(), { type: "hello" });
  const desktop = house.desktops.get("d1");
  desktop.ask("a1");
  desktop.setHolding(true, { kind: "human", id: "h", name: "Ann" });
  t.match(await agent.next(), {
    type: "holder",
    holder: { kind: "human", id: "h", name: "Ann", until: null },
  });
  t.match(await person.next(), {
    type: "approval",
    approval: { id: "a1", editable: "text", is_exact: true },
  });
  const shown = desktop.calls.filter((call) => call.includes("shown"));
  t.match(shown, [/^words of a1 shown to \w+$/]);
  t.equal(shown.length, 1, "to the person alone");
  const late = new SocketPeer(t, `ws://${address}/ws/events`, house.bearer("admin"));
  t.match(await late.next(), { type: "hello", approvals: [{ id: "a1", arming_ms: 0 }] });
  t.match(desktop.calls.at(-1), /^words of a1 shown to \w+$/);
  t.not(desktop.calls.at(-1), shown[0]);
});

t.test("people take the input and give it back; the desktop says who holds it", async (t) => {
  const house = await openHouse(t);
  const post = (path: string, role: "operator" | "approver" | "viewer") =>
    house.app.inject({ method: "POST", url: `/api/v1/desktops/d1/${path}`, headers: house.bearer(role) });
  t.equal((await post("take-over", "viewer")).statusCode, 403);
  t.equal((await post("take-over", "approver")).statusCode, 403);
  const taken = await post("take-over", "operator");
  t.match(taken.json(), { holder: { kind: "human", name: "the operator" } });
  const me = await house.app.inject({ url: "/api/v1/me", headers: house.bearer("operator") });
  t.equal(me.json().id, taken.json().holder.id, "so that a page knows itself");
  t.equal((await post("give-back", "viewer")).statusCode, 403);
  t.equal((await post("give-back", "approver")).json().holder, null);
});

t.test("custom mode comes with its rules", async (t) => {
  const house = await openHouse(t);
  const response = await house.app.inject({
    method: "POST",
    url: "/api/v1/desktops/d1/mode",
    headers: house.bearer("operator"),
    payload: { mode: "custom", metadata: { pointer: "allow" } },
  });
  t.equal(response.statusCode, 200);
  t.same(house.desktops.get("d1").calls, ['mode custom by human the operator with {"pointer":"allow"}']);
});
