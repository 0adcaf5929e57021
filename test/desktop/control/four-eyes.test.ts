import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import type { Decision } from "../../../src/desktop/control/approvals/approvals.ts";
import { Modes, policyOf } from "../../../src/desktop/control/modes.ts";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { FakeClock, settle } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";
import { CLICK, House, typing } from "../house.ts";

const ALICES: Actor = { kind: "agent", id: "a1", name: "bot", person: "alice" };
const NOBODYS: Actor = { kind: "agent", id: "a2", name: "stray" };
const ALICE: Actor = { kind: "human", id: "t1", name: "Alice", person: "alice", authority: "rules" };
/** The same person by another credential. */
const ALICE_AGAIN: Actor = { ...ALICE, id: "t2" };
const BOB: Actor = { kind: "human", id: "t3", name: "Bob", person: "bob", authority: "rules" };
const NAMELESS: Actor = { kind: "human", id: "t4", name: "Somebody" };

function ask(house: House, actor: Actor) {
  const work = house.desktop.perform(CLICK, actor);
  work.catch(() => undefined);
  return work;
}

const YES: readonly Decision[] = [
  { kind: "approve" },
  { kind: "approve", allowForMs: 60_000 },
  { kind: "approve", edit: { x: 11, y: 21 } },
];

t.test("no kind of yes by an agent's owner counts, under whatever credential; another's does", async (t) => {
  for (const decision of YES) {
    const house = House.live("assist", { isFourEyes: true });
    const work = ask(house, ALICES);
    await settle();
    const { approvals, grants } = house.desktop;
    const [{ id, isFourEyes } = { id: "", isFourEyes: false }] = approvals.pending;
    t.ok(isFourEyes);
    for (const by of [ALICE, ALICE_AGAIN, NAMELESS]) {
      t.throws(() => approvals.decide(id, decision, by), {
        code: "permission_denied",
        message: /by the owner of this agent/,
      });
    }
    t.equal(approvals.pending.length, 1, "the question waits on");
    t.same(grants.all, [], "and nothing is allowed for a while");
    t.same(house.link.said, []);
    approvals.decide(id, decision, BOB);
    t.match(await house.act(work), { wasConfirmed: true });
  }
});

t.test("the owner may say no, and may do it themselves", async (t) => {
  const house = House.live("assist", { isFourEyes: true });
  for (const [decision, code] of [
    [{ kind: "deny" }, "denied_by_human"],
    [{ kind: "take_over" }, "human_in_control"],
  ] as const) {
    const work = ask(house, ALICES);
    await settle();
    house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", decision, ALICE);
    await t.rejects(house.act(work), { code });
  }
});

t.test("an agent whose owner nobody knows is approved by nobody", async (t) => {
  const house = House.live("assist", { isFourEyes: true });
  const work = ask(house, NOBODYS);
  await settle();
  const { approvals } = house.desktop;
  const id = approvals.pending[0]?.id ?? "";
  for (const by of [ALICE, BOB, NAMELESS]) {
    t.throws(() => approvals.decide(id, true, by), {
      code: "permission_denied",
      message: /nobody is known to own this agent/,
    });
  }
  await t.rejects(house.act(work, 46_000), { code: "approval_expired" });
});

t.test("without the option the owner approves", async (t) => {
  const house = House.live("assist");
  const work = ask(house, ALICES);
  await settle();
  house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", true, ALICE);
  t.match(await house.act(work), { wasConfirmed: true });
});

t.test("what the owner's mode or rules allow is asked of others; what another set is not", async (t) => {
  const freer: readonly [Mode, object | undefined][] = [
    ["autopilot", undefined],
    ["composing", undefined],
    ["custom", { text: "allow" }],
  ];
  for (const [mode, rules] of freer) {
    const house = House.live("assist", { isFourEyes: true });
    house.desktop.setMode(mode, ALICE, rules);
    const work = house.desktop.perform(typing("hi"), ALICES);
    work.catch(() => undefined);
    await settle();
    t.equal(house.desktop.approvals.pending.length, 1, `${mode} by the owner asks`);
    house.desktop.setMode(mode, BOB, rules);
    house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", true, BOB);
    await house.act(work);
    t.match(
      await house.act(house.desktop.perform(typing("hi"), ALICES)),
      { wasConfirmed: false },
      `${mode} by another is a yes`,
    );
  }
});

t.test("whose doing an agent's freedom is: the last who did not only lessen it", async (t) => {
  const input = { position: { x: 0, y: 0 }, buttons: 0, keys: [] };
  const free = { read: "allow", write: "allow" } as const;
  const kind = (modes: Modes, actor: Actor) => modes.verdict(typing("hi"), actor, input).kind;
  const modes = new Modes(policyOf("autopilot"), free, true);
  t.equal(kind(modes, ALICES), "allow", "the configuration's");
  modes.set("composing", ALICE);
  t.equal(kind(modes, ALICES), "allow", "she only lessened it");
  modes.set("autopilot", ALICE);
  t.equal(kind(modes, ALICES), "ask");
  t.equal(kind(modes, NOBODYS), "ask", "it may be hers");
  t.equal(kind(modes, { ...ALICES, person: "bob" }), "allow", "Bob's agent");
  modes.set("composing", BOB);
  t.equal(kind(modes, ALICES), "ask", "he only lessened it");
  modes.set("composing", BOB);
  t.equal(kind(modes, ALICES), "allow", "he said it again");
  modes.set("composing", NAMELESS_WITH_MODES);
  t.equal(kind(modes, ALICES), "ask", "it may be she");
});

const NAMELESS_WITH_MODES: Actor = { ...NAMELESS, authority: "modes" };

t.test("a desktop that an agent proposes is not added by its owner", async (t) => {
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000, isFourEyes: true },
    {
      ...PLATFORM,
      clock: new FakeClock(),
      random: () => 0.5,
      onBug: (error) => t.error(error),
      openLink: () => new FakeLink(),
      store: { load: async () => [], save: async () => undefined },
      ownListeners: () => [],
    },
  );
  const question = new Promise<string>((resolve) => {
    desktops.questions.on(({ id, state }) => {
      if (state === "pending") resolve(id);
    });
  });
  const { signal } = new AbortController();
  const work = desktops.propose(
    { name: "New", protocol: "vnc", host: "192.0.2.7", port: 5900 },
    ALICES,
    signal,
  );
  work.catch(() => undefined);
  const id = await question;
  t.throws(() => desktops.questions.decide(id, { kind: "approve" }, ALICE), { code: "permission_denied" });
  desktops.questions.decide(id, { kind: "approve" }, BOB);
  t.equal((await work).connection.host, "192.0.2.7");
  await desktops.close();
});
