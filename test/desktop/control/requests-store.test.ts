import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { configuredId } from "../../../src/desktop/connections/configured-id.ts";
import { type ConnectionInput, makeConnection } from "../../../src/desktop/connections/connection.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { RequestsStore } from "../../../src/desktop/control/requests/requests-store.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";
import { AGENT, HUMAN } from "../house.ts";

const HOST: ConnectionInput = { protocol: "vnc", host: "desk.example" };
const ID = configuredId(makeConnection(HOST, new Date(0)), 0);
const ASKED = { kind: "code", reason: "enter the code", wantsPrivate: true } as const;
/** An agent whose token may change connections. */
const OPERATOR: Actor = { ...AGENT, authority: "rules" };

/** What it seals is what SecretBox makes of it, by a key of this file's own. */
const KEY_DIR = mkdtempSync(join(tmpdir(), "oc-requests-key-"));
const BOX = await SecretBox.open(KEY_DIR);
t.teardown(() => rmSync(KEY_DIR, { recursive: true, force: true }));

function fileOf(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-requests-"));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return join(path, "requests.json");
}

/** One run of the server, from its start to its end. */
async function run(t: Test, path: string, use: (desktops: Desktops) => unknown): Promise<void> {
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000 },
    {
      ...PLATFORM,
      clock: new FakeClock(),
      random: () => 0.5,
      onBug: (error) => t.fail(String(error)),
      openLink: () => new FakeLink(),
      store: { load: async () => [], save: async () => {} },
      ownListeners: () => [],
      requests: await RequestsStore.open(path, BOX, (error) => t.fail(String(error))),
    },
  );
  await desktops.open([HOST]);
  await use(desktops);
  await desktops.close();
}

t.test("what is open outlasts the server, who is at it and that it is private too", async (t) => {
  const path = fileOf(t);
  let id = "";
  await run(t, path, (desktops) => {
    const { requests } = desktops.get(ID);
    id = requests.ask(ASKED, AGENT).id;
    requests.take(id, true, HUMAN);
  });
  t.equal(statSync(path).mode & 0o777, 0o600);
  await run(t, path, (desktops) => {
    const { requests } = desktops.get(ID);
    t.match(requests.open, [{ id, reason: "enter the code", state: "taken", takenBy: { id: HUMAN.id } }]);
    t.equal(requests.isPrivate, true);
    requests.end(id, { state: "done", answer: "4711" }, HUMAN);
  });
  t.notMatch(readFileSync(path, "utf8"), "4711", "an answer is sealed");
  await run(t, path, (desktops) => {
    const { requests } = desktops.get(ID);
    t.same(requests.open, []);
    t.match(requests.of(AGENT.id), [{ id, state: "done", answer: "4711", endedBy: { id: HUMAN.id } }]);
    t.same(requests.of("another"), [], "by its agent alone");
    t.equal(requests.isPrivate, false);
  });
});

t.test("those of a desktop that is removed end with it", async (t) => {
  const path = fileOf(t);
  await run(t, path, async (desktops) => {
    desktops.get(ID).requests.ask(ASKED, AGENT);
    await desktops.remove(ID, HUMAN);
  });
  await run(t, path, (desktops) => t.same(desktops.get(ID).requests.open, []));
});

t.test("no agent removes a desktop, or adds its place once more, in a private time", async (t) => {
  await run(t, fileOf(t), async (desktops) => {
    const { requests } = desktops.get(ID);
    const { id } = requests.ask(ASKED, AGENT);
    requests.take(id, true, HUMAN);
    await t.rejects(desktops.remove(ID, OPERATOR), { code: "private_time" });
    await t.rejects(desktops.add(HOST, OPERATOR), { code: "private_time" });
    t.equal(desktops.all.length, 1);
    requests.end(id, { state: "done", answer: null }, HUMAN);
    await desktops.remove(ID, OPERATOR);
    t.equal(desktops.all.length, 0);
  });
});

t.test("a file that is none of ours keeps the server from starting", async (t) => {
  const path = fileOf(t);
  writeFileSync(path, '{"version": 1, "desktops": {"d": [{"id": "x"}]}}');
  await t.rejects(
    RequestsStore.open(path, BOX, () => {}),
    { code: "invalid_parameters" },
  );
});

t.test(
  "what ended longer than an hour ago is forgotten, and an answer under another key is none",
  async (t) => {
    const path = fileOf(t);
    let id = "";
    await run(t, path, (desktops) => {
      const { requests } = desktops.get(ID);
      id = requests.ask(ASKED, AGENT).id;
      requests.end(id, { state: "declined", answer: "4711" }, HUMAN);
    });
    const stored = JSON.parse(readFileSync(path, "utf8"));
    const other = fileOf(t);
    const [one] = Object.values<{ ended: { at: string; answer: string } }[]>(stored.desktops).flat();
    if (one === undefined) throw new Error("nothing is kept");
    const answer = one.ended.answer;
    one.ended.answer = `${answer.slice(0, -2)}AA`;
    writeFileSync(other, JSON.stringify(stored));
    const faults: unknown[] = [];
    const kept = await RequestsStore.open(other, BOX, (error) => faults.push(error));
    t.match(kept.of(ID), [{ id, state: "declined", answer: null }]);
    t.equal(faults.length, 1, "and it is told");
    one.ended = { ...one.ended, answer, at: new Date(Date.parse(one.ended.at) - 3_600_001).toISOString() };
    writeFileSync(other, JSON.stringify(stored));
    await run(t, other, (desktops) => t.same(desktops.get(ID).requests.of(AGENT.id), []));
  },
);
