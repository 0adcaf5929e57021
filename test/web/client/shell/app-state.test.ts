import t from "tap";
import {
  type AppState,
  afterMessage,
  EMPTY_STATE,
  withActions,
} from "../../../../src/web/client/shell/app-state.ts";
import { holderWords } from "../../../../src/web/client/shell/labels.ts";
import { actionInfo, approvalInfo, desktopInfo } from "../infos.ts";

const hello = (over: Partial<Parameters<typeof desktopInfo>[0]> = {}): AppState =>
  afterMessage(
    EMPTY_STATE,
    {
      type: "hello",
      desktops: [desktopInfo(over)],
      approvals: [],
      grants: [],
      requests: [],
      clients: [{ name: "cursor", seen_at: "2026-11-21T10:00:00.000Z" }],
    },
    0,
  );

t.test("nothing is known before the hello", async (t) => {
  t.equal(EMPTY_STATE.isKnown, false);
  t.equal(hello().isKnown, true);
  t.same(hello().clients, [{ name: "cursor", seen_at: "2026-11-21T10:00:00.000Z" }]);
});

t.test("a desktop that changes keeps its place, a new one comes last", async (t) => {
  const two = afterMessage(hello(), { type: "desktop", desktop: desktopInfo({ id: "d2" }) }, 0);
  const changed = afterMessage(two, { type: "desktop", desktop: desktopInfo({ id: "d1", name: "new" }) }, 0);
  t.same(
    changed.desktops.map((desktop) => [desktop.id, desktop.name]),
    [
      ["d1", "new"],
      ["d2", "build-vm"],
    ],
  );
});

t.test("a removed desktop takes its actions along", async (t) => {
  const acted = afterMessage(hello(), { type: "action", action: actionInfo() }, 0);
  t.equal(acted.actions.length, 1);
  const removed = afterMessage(acted, { type: "desktop_removed", desktop_id: "d1" }, 0);
  t.same([removed.desktops, removed.actions], [[], []]);
});

t.test(
  "a hello that names a desktop as elsewhere keeps what is known of it, until it is removed",
  async (t) => {
    const empty = { approvals: [], grants: [], requests: [], clients: [] };
    const again = afterMessage(
      hello(),
      { type: "hello", ...empty, desktops: [desktopInfo({ id: "d2" })], elsewhere: ["d1", "d3"] },
      0,
    );
    t.same(
      again.desktops.map(({ id }) => id),
      ["d2", "d1"],
    );
    t.same(again.elsewhere, ["d1", "d3"]);
    const removed = afterMessage(again, { type: "desktop_removed", desktop_id: "d1" }, 0);
    t.same([removed.desktops.map(({ id }) => id), removed.elsewhere], [["d2"], ["d3"]]);
  },
);

t.test("a second hello replaces the desktops and keeps the history", async (t) => {
  const acted = afterMessage(hello(), { type: "action", action: actionInfo() }, 0);
  const again = afterMessage(
    acted,
    { type: "hello", desktops: [], approvals: [approvalInfo()], grants: [], requests: [], clients: [] },
    0,
  );
  t.same(again.desktops, []);
  t.equal(again.cards.length, 1);
  t.equal(again.actions.length, 1);
});

t.test("actions that were loaded late are put in order and never twice", async (t) => {
  const live = afterMessage(
    hello(),
    { type: "action", action: actionInfo({ id: "b", at: "2026-11-21T10:00:05Z" }) },
    0,
  );
  const loaded = withActions(live, [
    actionInfo({ id: "a", at: "2026-11-21T10:00:01Z" }),
    actionInfo({ id: "b", at: "2026-11-21T10:00:05Z" }),
  ]);
  t.same(
    loaded.actions.map((action) => action.id),
    ["a", "b"],
  );
  t.equal(withActions(loaded, [actionInfo({ id: "a" })]), loaded);
  const look = actionInfo({
    id: "l",
    kind: "look",
    summary: "Look at the screen",
    at: "2026-11-21T10:00:06Z",
  });
  const again = { ...look, summary: "Look at the screen 2 times", at: "2026-11-21T10:00:07Z" };
  const looked = afterMessage(withActions(loaded, [look]), { type: "action", action: again }, 0);
  t.same(looked.actions.at(-1), again, "what goes on is one row");
  t.equal(looked.actions.length, 3);
  t.equal(withActions(looked, [look]), looked, "and an older answer does not undo it");
});

t.test("the history is bounded and drops the oldest", async (t) => {
  const many = Array.from({ length: 600 }, (_, i) =>
    actionInfo({ id: `x${i}`, at: new Date(i * 1000).toISOString() }),
  );
  const { actions } = withActions(EMPTY_STATE, many);
  t.equal(actions.length, 500);
  t.equal(actions.at(-1)?.id, "x599");
});

t.test("the length of a clipboard changes nothing", async (t) => {
  const before = hello();
  t.equal(afterMessage(before, { type: "clipboard", desktop_id: "d1", length: 4 }, 0), before);
});

t.test("who holds the input is told on its desktop, in words that know who looks", async (t) => {
  const known = afterMessage(
    EMPTY_STATE,
    {
      type: "hello",
      desktops: [desktopInfo(), desktopInfo({ id: "d2" })],
      approvals: [],
      grants: [],
      requests: [],
      clients: [],
    },
    0,
  );
  const holder = { kind: "human", id: "h", name: "Ann", since: "2026-11-21T10:00:00.000Z", until: null };
  const held = afterMessage(known, { type: "holder", desktop_id: "d2", holder }, 0);
  t.same(
    held.desktops.map((desktop) => desktop.holder?.name ?? null),
    [null, "Ann"],
  );
  t.equal(holderWords(holder, "h"), "You hold the input");
  t.equal(holderWords(holder, "somebody"), "Ann holds the input");
  t.equal(holderWords({ ...holder, kind: "agent", name: "bot" }, "h"), "bot holds the input");
  t.equal(holderWords(null, "h"), null);
});
