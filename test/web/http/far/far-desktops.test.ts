import t, { type Test } from "tap";
import type { PlacedPart } from "../../../../src/recording/join/opened-part.ts";
import { CallingNodes } from "../../../cluster/calls/calling-nodes.ts";
import { requirePeers } from "../../../e2e/harness/peers.ts";
import { openHouse } from "../../fake-house.ts";
import { FakeRecordings, recordingSummary, TRACK, toldParts } from "../../fake-recordings.ts";

/** Two nodes, of which `b` has the desktop d2; each has a d1 of its own. */
async function openTwo(t: Test, told: readonly PlacedPart[] = []) {
  const nodes = await CallingNodes.open(t);
  const open = async (name: string) => {
    const { fleet, calls, listen } = await nodes.node(name);
    const recordings = new FakeRecordings(toldParts(name, told));
    const house = await openHouse(t, { fleet, recordings });
    await house.app.ready();
    await listen(house.app.server);
    return { ...house, calls, recordings };
  };
  const [a, b] = [await open("a"), await open("b")];
  const desktop = b.desktops.open("d2");
  nodes.give("d2", "b");
  return { nodes, a, b, desktop };
}

const AGENT = { kind: "agent", id: "bot", name: "Bot" } as const;

if (requirePeers(t, ["openssl"])) {
  t.test("what is asked at another node is listed here, seen and answered, once", async (t) => {
    const { a, b, desktop } = await openTwo(t);
    desktop.ask("q1");
    a.desktops.get("d1").ask("own");
    const headers = a.bearer("approver");
    const listed = await a.app.inject({ url: "/api/v1/approvals", headers });
    t.same(
      listed
        .json()
        .map(({ id }: { id: string }) => id)
        .sort(),
      ["own", "q1"],
    );
    const picture = await a.app.inject({ url: "/api/v1/approvals/q1/picture.png", headers });
    t.equal(picture.headers["content-type"], "image/png");
    t.match(desktop.calls, [/^words of q1 shown to /, /^all of q1 shown to /], "the owner knows who saw it");
    const answer = (role: "approver" | "viewer", id: string) =>
      a.app.inject({
        ...{ method: "POST", url: `/api/v1/approvals/${id}`, headers: a.bearer(role) },
        payload: { decision: "approve" },
      });
    t.equal((await answer("viewer", "q1")).statusCode, 403);
    t.match((await answer("approver", "q1")).json(), {
      id: "q1",
      state: "granted",
      decided_by: "the approver",
    });
    t.same(desktop.decisions, [{ kind: "approve" }]);
    t.match(
      b.audited.filter(({ type }) => type === "change.requested"),
      [{ actor: { name: "the approver", via: "a" } }],
    );
    t.equal((await answer("approver", "q1")).statusCode, 404, "it is over");
    t.equal((await answer("approver", "own")).statusCode, 200, "its own is answered here");
    t.same(a.desktops.get("d1").decisions, [{ kind: "approve" }]);
  });

  t.test("requests and grants of another node too", async (t) => {
    const { a, desktop } = await openTwo(t);
    const asked = { kind: "code", reason: "enter the code", wantsPrivate: true } as const;
    const { id } = desktop.requests.ask(asked, AGENT);
    const headers = a.bearer("operator");
    const list = await a.app.inject({ url: "/api/v1/requests", headers });
    t.match(list.json(), [{ id, state: "open", desktop_id: "d2" }]);
    const taken = await a.app.inject({
      ...{ method: "POST", url: `/api/v1/requests/${id}`, headers },
      payload: { do: "take", private: true },
    });
    t.match(taken.json(), { state: "taken", is_private: true });
    t.equal(desktop.requests.isPrivate, true);
    t.equal((await a.app.inject({ url: "/api/v1/grants", headers })).json().length, 0);
    const none = await a.app.inject({ method: "DELETE", url: "/api/v1/grants/none", headers });
    t.equal(none.statusCode, 404);
  });

  t.test("who may not reach the desktop finds nothing there", async (t) => {
    const { a, b, desktop } = await openTwo(t);
    desktop.ask("q1");
    const { token } = await a.tokens.create("of another", "approver", { desktops: ["d1"] });
    const headers = { authorization: `Bearer ${token}` };
    t.same((await a.app.inject({ url: "/api/v1/approvals", headers })).json(), []);
    const payload = { decision: "approve" };
    const answer = await a.app.inject({ method: "POST", url: "/api/v1/approvals/q1", headers, payload });
    t.equal(answer.statusCode, 404);
    t.same(desktop.decisions, []);
    const told = async (id: string) =>
      (await b.app.inject({ url: `/api/v1/fleet/open/${id}`, headers: b.bearer("approver") })).json();
    t.same([await told("q1"), await told("q2")], [{ is_open: true }, { is_open: false }]);
  });

  t.test("a node that does not answer may have it: nobody is told that it is over", async (t) => {
    const { a, b, desktop } = await openTwo(t);
    desktop.ask("q1");
    b.calls.close();
    const headers = a.bearer("approver");
    const payload = { decision: "deny" };
    const answer = await a.app.inject({ method: "POST", url: "/api/v1/approvals/q1", headers, payload });
    t.equal(answer.json().error.code, "node_unreachable");
  });

  t.test("what runs is ended and marked where it runs, by the id of any of its parts", async (t) => {
    const told = [
      { id: "early", node: "a", startedMs: 0, endedMs: 10_000 },
      { id: "late", node: "b", startedMs: 20_000, endedMs: null },
    ];
    const { a, b } = await openTwo(t, told);
    a.recordings.keep(recordingSummary({ id: "early", desktopId: "d2" }));
    const continues = { id: "early", node: "a" };
    b.recordings.keep(recordingSummary({ id: "late", desktopId: "d2", state: "recording", continues }));
    const { token } = await a.tokens.create("of another", "operator", { desktops: ["d1"] });
    const post = (path: string, headers = a.bearer("operator"), payload = {}) =>
      a.app.inject({ method: "POST", url: `/api/v1/recordings/early/${path}`, headers, payload });
    const stranger = { authorization: `Bearer ${token}` };
    t.equal((await post("stop", stranger)).statusCode, 404, "not for who may not see the desktop");
    t.equal((await post("bookmarks", undefined, { label: "look" })).statusCode, 204);
    t.same([a.recordings.bookmarks, b.recordings.bookmarks], [[], ["look"]]);
    const stopped = await post("stop");
    t.match([stopped.statusCode, stopped.json()], [200, { id: "late", state: "sealed" }]);
    t.equal((await b.recordings.get("late")).state, "sealed");
    t.equal((await post("stop")).statusCode, 404, "it runs no more");
    b.calls.close();
    t.equal((await post("stop")).json().error.code, "node_unreachable");
  });

  t.test("what was recorded is found at all nodes", async (t) => {
    const { a, b } = await openTwo(t);
    const at = (time: string) => ({ startedAt: `2026-11-21T${time}.000Z` });
    for (const { recordings } of [a, b]) recordings.entries = TRACK;
    a.recordings.keep(recordingSummary({ id: "old", ...at("08:00:00") }));
    b.recordings.keep(recordingSummary({ id: "old", ...at("08:00:00"), title: "read in the archive" }));
    b.recordings.keep(recordingSummary({ id: "new", desktopId: "d2", ...at("09:00:00") }));
    const search = async (query: string, headers = a.bearer("operator")) =>
      (await a.app.inject({ url: `/api/v1/recordings/search?${query}`, headers })).json();
    const all = await search("text=menu");
    t.ok(all.hits.length > 2);
    t.same(
      [
        ...new Set(
          all.hits.map((hit: { recording_id: string; title: string }) => `${hit.recording_id} ${hit.title}`),
        ),
      ],
      ["new Build VM", "old Build VM"],
      "the newest first, and each once",
    );
    const { hits, more } = await search("text=menu&limit=1");
    t.match([hits, more], [[{ recording_id: "new" }], true]);
    t.equal(hits.length, 1);
    const { token } = await a.tokens.create("of another", "operator", { desktops: ["d1"] });
    const own = await search("text=menu", { authorization: `Bearer ${token}` });
    t.ok(own.hits.every((hit: { recording_id: string }) => hit.recording_id === "old"));
    b.calls.close();
    t.match(await search("text=menu"), { hits: own.hits }, "of those that answer");
  });

  t.test("recordings of all nodes are listed at each, and read where they are", async (t) => {
    const { a, b } = await openTwo(t);
    const startedAt = "2026-11-21T08:00:20.000Z";
    a.recordings.keep(recordingSummary({ id: "early", desktopId: "d2" }));
    const continues = { id: "early", node: "a" };
    b.recordings.keep(recordingSummary({ id: "late", desktopId: "d2", startedAt, continues }));
    const endedAt = "2026-11-21T08:00:10.000Z";
    b.recordings.parts.set("late", { earlierEndedAt: endedAt, next: null });
    a.recordings.parts.set("early", { earlierEndedAt: null, next: { id: "late", node: "b", startedAt } });
    const headers = a.bearer("operator");
    const get = (rest: string, as = headers) =>
      a.app.inject({ url: `/api/v1/recordings${rest}`, headers: as });
    const late = { id: "late", continues: { ...continues, ended_at: endedAt }, continued_by: null };
    const early = { id: "early", continues: null, continued_by: { id: "late", node: "b" } };
    const [whole, ...others] = (await get("")).json();
    t.match(whole, { id: "late", started_at: "2026-11-21T08:00:00.000Z", continues: null });
    t.match(whole, { duration_ms: 30_000, counts: { frames: 20, gaps: 1 } }, "one entry, from the first on");
    t.same(others, []);
    t.match((await get("/late")).json(), late);
    t.match((await get("/early")).json(), early);
    t.equal((await get("/late/frame.png")).headers["content-type"], "image/png");
    t.match(
      b.audited.filter(({ type }) => type === "recording.viewed"),
      [{ actor: { name: "the operator", via: "a" }, resource: { id: "late" } }],
      "told where it is",
    );
    const asked = await b.app.inject({
      ...{ method: "POST", url: "/api/v1/fleet/recordings/late", headers: b.bearer("admin") },
      payload: { ask: "open" },
    });
    t.equal(asked.json().error.code, "not_supported", "nodes alone ask for parts");
    t.equal((await get("/none")).statusCode, 404);
    t.equal((await get("/late", a.bearer("viewer"))).statusCode, 403);
    const { token } = await a.tokens.create("of another", "operator", { desktops: ["d1"] });
    const stranger = { authorization: `Bearer ${token}` };
    t.equal((await get("/late", stranger)).statusCode, 404);
    t.same((await get("", stranger)).json(), []);
    const replay = await a.app.inject({
      ...{ method: "POST", url: "/api/v1/recordings/late/replay", headers: a.bearer("admin"), payload: {} },
    });
    t.not(replay.statusCode, 200, "it would be shown where nobody here sees it");
    b.calls.close();
    t.equal((await get("/late")).json().error.code, "node_unreachable");
    t.match((await get("/early")).json(), early, "its own is answered all the same");
    t.match((await get("")).json(), [early]);
  });
}
