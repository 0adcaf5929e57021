import t from "tap";
import { openHouse, SocketPeer } from "./fake-house.ts";

const AGENT = { kind: "agent", id: "bot", name: "Bot" } as const;
const ASKED = { kind: "code", reason: "enter the code", wantsPrivate: true } as const;

t.test(
  "people with the permission list requests, take and end them; agents and viewers do not",
  async (t) => {
    const { app, bearer, desktops } = await openHouse(t);
    const desktop = desktops.get("d1");
    const { id } = desktop.requests.ask(ASKED, AGENT);
    const url = `/api/v1/requests/${id}`;
    const post = (role: "operator" | "approver" | "viewer" | "agent" | "admin", payload: object) =>
      app.inject({ method: "POST", url, headers: bearer(role), payload });
    for (const role of ["viewer", "agent"] as const) {
      t.equal((await app.inject({ url: "/api/v1/requests", headers: bearer(role) })).statusCode, 403, role);
      for (const what of ["take", "done", "decline"]) {
        t.equal((await post(role, { do: what })).statusCode, 403, `${role} ${what}`);
      }
    }
    const listed = await app.inject({ url: "/api/v1/requests", headers: bearer("approver") });
    t.match(listed.json(), [
      { id, desktop_id: "d1", reason: "enter the code", wants_private: true, state: "open", taken_by: null },
    ]);
    t.equal((await post("approver", { do: "take" })).statusCode, 403, "it takes input to take over");
    const taken = await post("operator", { do: "take", private: true });
    t.match(taken.json(), { state: "taken", is_private: true });
    t.match(desktop.calls, ["take over by human the operator"]);
    t.equal((await post("approver", { do: "done" })).statusCode, 403, "not while another person is at it");
    const done = await post("operator", { do: "done", answer: "4711" });
    t.match(done.json(), { state: "done", is_private: false, ended_by: "the operator" });
    t.notMatch(done.payload, "4711", "an answer is for the agent alone");
    t.equal((await post("operator", { do: "done" })).statusCode, 404);
    t.match(desktop.requests.of("bot"), [{ state: "done", answer: "4711" }]);
  },
);

t.test("what cannot be read is refused, and an end is written down before it is done", async (t) => {
  const { app, bearer, desktops, audited } = await openHouse(t);
  const { id } = desktops.get("d1").requests.ask(ASKED, AGENT);
  const url = `/api/v1/requests/${id}`;
  for (const payload of [
    {},
    { do: "maybe" },
    { do: "take", answer: "x" },
    { do: "done", private: true },
    { do: "done", answer: "x".repeat(2001) },
  ]) {
    const answer = await app.inject({ method: "POST", url, headers: bearer("admin"), payload });
    t.equal(answer.statusCode, 400, JSON.stringify(payload).slice(0, 40));
  }
  audited.length = 0;
  await app.inject({ method: "POST", url, headers: bearer("admin"), payload: { do: "take" } });
  t.same(audited, [], "taking only keeps agents from something");
  await app.inject({ method: "POST", url, headers: bearer("admin"), payload: { do: "decline" } });
  t.match(audited, [{ type: "change.requested", resource: { kind: "request", id } }]);
});

t.test("who may answer hears of requests on the events socket, also after a reconnect", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  const { id } = desktop.requests.ask(ASKED, AGENT);
  const host = await house.listen();
  const approver = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("approver"));
  const viewer = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  t.match(await approver.next(), { type: "hello", requests: [{ id, state: "open" }] });
  t.strictSame(Object(await viewer.next()).requests, []);
  const end = { state: "done", answer: "4711" } as const;
  desktop.requests.end(id, end, { kind: "human", id: "h", name: "Ann" });
  desktop.emit({ type: "clipboard", text: "four" });
  const told = await approver.next();
  t.match(told, { type: "request", request: { id, state: "done" } });
  t.notMatch(JSON.stringify(told), "4711");
  t.match(await viewer.next(), { type: "clipboard" }, "a viewer hears of the next thing alone");
});
