import t from "tap";
import { RefusedError } from "../../../src/desktop/error.ts";
import { ANN, openNodes } from "./nodes.ts";

const BOT = { kind: "agent", id: "bot", name: "Bot" } as const;
const ASKED = { kind: "code", reason: "enter the code", wantsPrivate: true } as const;
const KEYS = "/overlay-companion/requests/";

t.test("what is private is so on the next node, before it connects, until a person ends it", async (t) => {
  const { clock, store, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  const b = node("b");
  // Nothing is told to it by itself.
  b.line.deafTo = "/requests/";
  await clock.live(2000, 20);
  const { id } = desktop.requests.ask(ASKED, BOT);
  desktop.requests.take(id, true, ANN);
  t.equal(await outcome(a.requests.settled(desktop.id)), "done");
  const { entries } = await store.list(KEYS);
  t.equal(entries.length, 1);
  t.notMatch(entries[0]?.value, "enter", "sealed");

  let wasPrivateAtFirst: boolean | null = null;
  b.desktops.on(({ type, desktop: { requests } }) => {
    if (type === "added") wasPrivateAtFirst = requests.isPrivate;
  });
  await outcome(a.fleet.drain("a", true));
  const [taken] = b.desktops.all;
  t.equal(wasPrivateAtFirst, true);
  t.match(taken?.requests.open, [{ id, state: "taken", isPrivate: true, takenBy: { id: "h" } }]);
  t.throws(() => taken?.requests.checkSeen("agent"), { code: "private_time" });

  taken?.requests.end(id, { state: "done", answer: "4711" }, ANN);
  t.equal(await outcome(b.requests.settled(desktop.id)), "done");
  await outcome(a.fleet.drain("a", false));
  await outcome(b.fleet.drain("b", true));
  const [back] = a.desktops.all;
  t.equal(back?.requests.isPrivate, false);
  t.match(back?.requests.of("bot"), [{ id, state: "done", answer: "4711" }], "its agent is told there");
  t.equal(await outcome(a.desktops.remove(desktop.id, ANN)), "done");
  t.same((await store.list(KEYS)).entries, []);
  t.same([a.faults, b.faults], [[], []]);
});

t.test("what could not be kept is said, and kept as soon as it can be", async (t) => {
  const { clock, store, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  const { id } = desktop.requests.ask(ASKED, BOT);
  t.equal(await outcome(a.requests.settled(desktop.id)), "done");
  a.requests.check(desktop.id);
  a.line.isCut = true;
  desktop.requests.take(id, true, ANN);
  const told = await outcome(a.requests.settled(desktop.id), 9000);
  t.ok(told instanceof RefusedError);
  t.match(told, { code: "not_held" });
  t.equal(desktop.requests.isPrivate, true, "it holds here");
  t.throws(() => a.requests.check(desktop.id), { code: "not_held" }, "no other is taken meanwhile");
  const [before] = (await store.list(KEYS)).entries;
  await clock.live(5000, 20);
  t.match(a.faults, [{ code: "not_held" }]);
  t.equal(a.faults.length, 1, "told once");
  a.line.isCut = false;
  await clock.live(12_000, 20);
  const [after] = (await store.list(KEYS)).entries;
  t.not(after?.value, before?.value);
  const b = node("b");
  await clock.live(2000, 20);
  await outcome(a.fleet.drain("a", true));
  t.equal(b.desktops.all[0]?.requests.isPrivate, true);
});

t.test(
  "what a node had not kept when it lost a desktop is not written over what the next one knows",
  async (t) => {
    const { clock, node, outcome, added } = await openNodes((error) => t.error(error));
    const a = node("a");
    await clock.live(2000, 20);
    const desktop = await added(a);
    const { id } = desktop.requests.ask(ASKED, BOT);
    desktop.requests.take(id, true, ANN);
    t.equal(await outcome(a.requests.settled(desktop.id)), "done");
    const b = node("b");
    await clock.live(2000, 20);
    a.line.isCut = true;
    desktop.requests.end(id, { state: "done", answer: null }, ANN);
    await clock.live(12_000, 20);
    const [taken] = b.desktops.all;
    t.equal(taken?.requests.isPrivate, true, "as far as that node knows");
    a.line.isCut = false;
    await clock.live(5000, 20);
    await outcome(b.fleet.drain("b", true));
    const [back] = a.desktops.all;
    t.match(back?.requests.open, [{ id, isPrivate: true }]);
  },
);

t.test("what cannot be read is private, until an administrator ends it", async (t) => {
  const { clock, store, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  desktop.requests.ask(ASKED, BOT);
  t.equal(await outcome(a.requests.settled(desktop.id)), "done");
  const [entry] = (await store.list(KEYS)).entries;
  if (entry === undefined) throw new Error("nothing was kept");
  await store.commit([{ kind: "update", key: entry.key, value: '{"version":2}', revision: entry.revision }]);
  const b = node("b");
  await clock.live(2000, 20);
  await outcome(a.fleet.drain("a", true));
  const [taken] = b.desktops.all;
  t.equal(taken?.requests.isPrivate, true);
  const [unread] = taken?.requests.open ?? [];
  const { authority: _, ...person } = ANN;
  const end = { state: "declined", answer: null } as const;
  t.throws(() => taken?.requests.end(unread?.id ?? "", end, { ...person, id: "other" }), {
    code: "permission_denied",
  });
  taken?.requests.end(unread?.id ?? "", end, ANN);
  t.equal(await outcome(b.requests.settled(desktop.id)), "done");
  t.equal(taken?.requests.isPrivate, false);
  t.same((await store.list(KEYS)).entries, []);
  t.same(b.faults, []);
});
