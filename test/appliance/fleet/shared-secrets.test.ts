import { join } from "node:path";
import t, { type Test } from "tap";
import { SharedSecrets } from "../../../src/appliance/fleet/shared-secrets.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { readRules, SecretStore } from "../../../src/auth/secrets/secret-store.ts";
import { StoreError } from "../../../src/cluster/error.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { Line } from "../../cluster/shared/nodes.ts";
import { FakeClock } from "../../fake-clock.ts";
import { opened } from "../../support/opened.ts";

const KEYS = "/overlay-companion/secrets/";
const VALUE = "correct horse battery";
const SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const ANN = { id: "0123456789abcdef", name: "ann" };
const RULES = readRules({ desktops: ["d1"], agents: ["ann"] });
const DAY_MS = 24 * 3_600_000;
const BANK = { kind: "secret", name: "bank" } as const;

async function openNodes(test: Test) {
  const dir = test.testdir({ a: {}, b: {}, c: {}, s: {} });
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (name: string, key = "k".repeat(32), own = clock) => {
    const line = new Line(store);
    const sealer = SecretBox.by(key);
    const onFailed = (error: unknown): void => void test.error(error);
    const table = new SharedSecrets({ store: line.store, clock: own, sealer, onFailed });
    await table.open();
    const secrets = await SecretStore.open(join(dir, name), sealer, own, [], table);
    const set = (text: string | null, rules = RULES, kind: "secret" | "totp" = "secret") =>
      secrets.set("bank", { kind, text, rules });
    const typed = async () => opened(await secrets.find(BANK, ANN, "d1"));
    return { line, table, secrets, set, typed };
  };
  const entries = async () => (await store.list(KEYS)).entries;
  return { clock, store, node, entries };
}

t.test("a secret that is stored at one node is typed at any, until any takes it away", async (t) => {
  const { clock, node, entries } = await openNodes(t);
  const [a, b, c] = [await node("a"), await node("b"), await node("c")];
  t.match(await a.set(VALUE), { isNew: true, info: { name: "bank" } });
  for (const one of [a, b, c]) t.equal(await one.typed(), VALUE);
  t.match(await c.secrets.list(), [{ name: "bank", rules: RULES, isConfigured: false }]);
  t.equal(await b.secrets.find(BANK, ANN, "d2"), null, "by its rules");

  const [entry] = await entries();
  const inMemory = JSON.stringify([...(await b.table.all())]);
  for (const text of [`${entry?.key} ${entry?.value}`, inMemory, JSON.stringify(await b.secrets.list())]) {
    for (const form of [VALUE, Buffer.from(VALUE).toString("base64url").slice(0, 20)]) t.notMatch(text, form);
  }
  t.notMatch(entry?.value, "desktops", "its rules are sealed too");

  t.match(await b.set("another value"), { isNew: false });
  t.equal(await c.typed(), "another value");
  t.match(await c.set(null, readRules({ desktops: ["d1"], agents: ["*"] })), { isNew: false });
  t.equal(await a.typed(), "another value", "other rules for what another node keeps");
  t.match(await a.set(SEED, RULES, "totp"), { isNew: false });
  t.equal(await b.typed(), null, "it is of codes now");
  t.match(await opened(await b.secrets.find({ kind: "totp", name: "bank" }, ANN, "d1")), /^\d{6}$/);

  t.equal(await c.secrets.remove("bank"), true);
  for (const one of [a, b, c]) {
    t.equal(await one.typed(), null);
    t.same(await one.secrets.list(), []);
    t.equal(await one.secrets.remove("bank"), false);
  }
  t.equal(await a.secrets.remove("no name, ä"), false);
  t.equal((await entries()).length, 1, "that it was taken away is kept: its name may come back");
  await clock.live(60_000, 10_000);
  t.match(await a.set("a third"), { isNew: true });
  t.equal(await b.typed(), "a third");
});

t.test("of those who change one at once one is first, and all nodes have the same", async (t) => {
  const { clock, node, entries } = await openNodes(t);
  const nodes = [await node("a"), await node("b"), await node("c")] as const;
  const [a, b, c] = nodes;
  c.line.deafTo = "secrets";
  for (let nth = 0; nth < 20; nth++) {
    const made = await Promise.all(nodes.map((one, at) => one.set(`value ${nth}.${at}`)));
    t.equal(made.filter(({ isNew }) => isNew).length, 1);
    await clock.live(10);
    const value = await a.typed();
    t.match(value, `value ${nth}.`);
    t.equal(await b.typed(), value);
    const removed = await Promise.all(nodes.map(({ secrets }) => secrets.remove("bank")));
    t.equal(removed.filter((was) => was).length, 1);
    t.equal(await c.typed(), null, "known by its own try");
  }
  t.equal((await entries()).length, 1);
  await a.set(VALUE);
  t.match(await c.set(null), { isNew: false }, "though it was not told of it");
  await b.set(VALUE);
  t.equal(await c.secrets.remove("bank"), true);
  const counts: number[] = [];
  for (const name of ["one", "two"]) {
    await a.secrets.set(name, { kind: "secret", text: VALUE, rules: RULES });
    await b.table.put(name, (before, count) => {
      counts.push(count);
      if (before === null) throw new Error("it is not known");
      return before;
    });
  }
  t.same(counts, [1, 2], "what was taken away is none");
});

t.test("what was used before it was made was another one, of a node that did not take it away", async (t) => {
  const { clock, node } = await openNodes(t);
  const [a, b] = [await node("a"), await node("b")];
  await a.set(VALUE);
  const usedAt = async () => (await b.secrets.list()).map(({ lastUsedAt }) => lastUsedAt);
  t.same(await usedAt(), [null]);
  await b.typed();
  t.match(await usedAt(), [/:00\.000Z$/]);
  await a.secrets.remove("bank");
  await clock.live(120_000, 10_000);
  await a.set(VALUE);
  t.same(await usedAt(), [null]);
});

t.test("where the store does not answer, and with another key", async (t) => {
  const { node, entries } = await openNodes(t);
  const [a, b] = [await node("a"), await node("b")];
  await a.set(VALUE);
  b.line.isCut = true;
  await t.rejects(b.set("other"), { name: "RefusedError", code: "not_held" });
  await t.rejects(b.secrets.remove("bank"), { name: "RefusedError", code: "not_held" });
  t.equal(await b.typed(), VALUE, "what is known is typed on");
  b.line.isCut = false;

  const stranger = await node("s", "x".repeat(32));
  t.same(await stranger.secrets.list(), []);
  t.equal(await stranger.typed(), null, "as one that is not there");
  await t.rejects(stranger.set("other"), { code: "not_held" });
  await t.rejects(stranger.secrets.remove("bank"), { code: "not_held" });
  await t.rejects(stranger.secrets.valuesOf(["bank"]), { code: "bad_secret" }, "a mask covers all");
  t.same(await stranger.secrets.valuesOf(["nothing"]), []);
  t.same(await a.secrets.valuesOf(["bank", "nothing"]), [VALUE]);

  const long = readRules({ desktops: Array.from({ length: 200 }, () => "d".repeat(200)) });
  const agents = Array.from({ length: 200 }, () => "a".repeat(200));
  const tooLong = await a.set(VALUE, { ...long, agents }).catch((error: unknown) => error);
  t.match(tooLong, { name: "RefusedError", code: "invalid_parameters" });
  t.notMatch(String(tooLong), VALUE);
  t.equal((await entries()).length, 1);
});

t.test("that one was taken away is kept for a day, and is then deleted by whoever looks", async (t) => {
  const { clock, node, entries } = await openNodes(t);
  const [a, b] = [await node("a"), await node("b")];
  await a.set(VALUE);
  await a.secrets.set("other", { kind: "secret", text: VALUE, rules: RULES });
  await a.secrets.remove("bank");
  await clock.live(DAY_MS - 3_600_000, 600_000);
  t.equal((await entries()).length, 2);
  await clock.live(2 * 3_600_000, 60_000);
  const left = await entries();
  t.same(
    left.map(({ key }) => key),
    [`${KEYS}other`],
    "what is there stays",
  );
  t.equal(await b.typed(), null);
  t.match(await b.set("a new one"), { isNew: true });
  t.equal(await a.typed(), "a new one", "its name is free");
  t.match(await b.set("a newer one"), { isNew: false });
});

t.test("one that came back is not deleted with what was taken away before", async (t) => {
  const { clock, node } = await openNodes(t);
  const [a, b] = [await node("a"), await node("b")];
  await a.set(VALUE);
  await a.secrets.remove("bank");
  await clock.live(DAY_MS - 60_000, 600_000);
  // It is not told that the name is in use again.
  b.line.deafTo = "secrets";
  await a.set("back");
  await clock.live(3_600_000, 60_000);
  t.equal(await a.typed(), "back");
});

t.test("a node that stood still for days does not make anew what was taken away meanwhile", async (t) => {
  const { clock, node, entries } = await openNodes(t);
  const own = new FakeClock();
  const [a, b] = [await node("a", undefined, own), await node("b")];
  const { store } = a.line;
  const { commit } = store;
  // The host goes to sleep once its write was done, and before it was answered.
  let isAsleep = true;
  store.commit = async (changes) => {
    const outcome = await commit(changes);
    if (isAsleep) throw new StoreError("outcome_unknown", "not answered");
    return outcome;
  };
  const late = a.set(VALUE).then(
    () => "done",
    (error: unknown) => error,
  );
  await clock.live(10);
  t.equal(await b.typed(), VALUE, "the write was done");
  t.equal(await b.secrets.remove("bank"), true);
  await clock.live(3 * DAY_MS, 600_000);
  t.same(await entries(), [], "nothing is left of it");
  isAsleep = false;
  await own.live(10_000, 50);
  t.match(await late, { name: "RefusedError", code: "not_held" }, "who asked for it is told");
  t.same(await entries(), [], "and it stays so");
  t.equal(await b.typed(), null);
  t.match(await a.set("anew"), { isNew: true });
  t.equal(await b.typed(), "anew");
});
