import t from "tap";
import type { Action } from "../../src/desktop/action.ts";
import type { Approval } from "../../src/desktop/approvals.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { settle } from "../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN, typing } from "./house.ts";

/** The one open question. */
function card(house: House): Approval {
  const [first, ...rest] = house.desktop.approvals.pending;
  if (first === undefined || rest.length > 0) throw new Error("expected one open question");
  return first;
}

/** A call that never leaves a rejection unheard. */
function ask(house: House, action: Action = CLICK, signal?: AbortSignal) {
  const work = house.desktop.perform(action, AGENT, signal === undefined ? {} : { signal });
  work.catch(() => undefined);
  return work;
}

/** Small whole numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

t.test("a changed screen under the target voids what was approved, and nothing is sent", async (t) => {
  const house = House.live("assist");
  const work = ask(house);
  await settle();
  t.match(card(house), { bound: rect(0, 0, 200, 100), screenHash: /^[0-9a-f]{64}$/, isExact: true });
  house.link.paint(rect(12, 21, 1, 1), 0xffffff);
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await t.rejects(house.act(work), { code: "stale_screen" });
  t.same(
    house.link.said.filter((line) => line.startsWith("pointer")),
    [],
  );
  t.match(house.desktop.actions.at(-1), { outcome: "refused", code: "stale_screen", wasConfirmed: true });
});

t.test(
  "of 1,000 approvals with the screen changed somewhere on the way, none is injected stale",
  async (t) => {
    const house = House.live("assist", { approvalExpiryMs: 600_000 });
    const random = numbers(42);
    const next = (below: number): number => Number(random.next().value) % below;
    let colour = 0x222222;
    let stale = 0;
    let done = 0;
    let wrong = 0;
    for (let i = 0; i < 1000; i++) {
      house.link.said.length = 0;
      const seen = colour;
      const change = (): void => {
        // Now and then the change is undone, so that both outcomes occur.
        colour = next(5) === 0 ? seen : colour + 1 + next(1000);
        house.link.paint(rect(10, 20, 1, 1), colour);
      };
      house.link.paint(rect(10, 20, 1, 1), colour);
      const action = next(4) === 0 ? typing("x") : CLICK;
      const work = ask(house, action);
      await settle();
      const when = next(4);
      if (when === 0) change();
      house.link.answers = false;
      house.desktop.approvals.decide(card(house).id, true, HUMAN);
      if (when === 1) change();
      await settle();
      if (when === 2) change();
      await settle();
      const moment = colour;
      house.link.pass();
      if (when === 3) queueMicrotask(change);
      house.link.answers = true;
      await house.clock.live(700, 50);
      const sent = house.link.said.filter((line) => /^(pointer|down)/.test(line)).length;
      const outcome = await work.then(
        () => "done",
        (error: { code?: string }) => error.code,
      );
      if (outcome === "done") done++;
      else if (outcome === "stale_screen") stale++;
      else t.fail(`got ${outcome}`);
      // A change in the microtask before or after the injection is either seen or came later: never both.
      const wasStale = when === 3 ? house.link.colourAtFirstInput !== seen : moment !== seen;
      if (sent > 0 && wasStale) wrong++;
      if (sent === 0 && outcome === "done") wrong++;
      house.clock.advance(6000);
    }
    t.equal(wrong, 0, "stale injections");
    t.equal(stale + done, 1000);
    t.ok(stale > 300, `${stale} were stale`);
    t.ok(done > 100, `${done} were done`);
  },
);

t.test("a target that does not confirm its picture gets nothing that was approved", async (t) => {
  const house = House.live("assist");
  const work = ask(house);
  await settle();
  house.link.answers = false;
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await t.rejects(house.act(work, 1500), { code: "stale_screen", message: /did not confirm/ });
  t.notOk(house.link.said.some((line) => line.startsWith("pointer")));
});

t.test("a blinking caret voids nothing; a blinking button that then changes does", async (t) => {
  const house = House.live("assist");
  const blink = (area: ReturnType<typeof rect>): void => {
    for (let i = 0; i < 6; i++) {
      house.link.paint(area, i % 2 === 0 ? 0xffffff : 0x222222);
      house.clock.advance(500);
    }
  };
  const caret = rect(60, 30, 2, 14);
  blink(caret);
  const typed = ask(house, typing("x"));
  await settle();
  t.match(card(house), { point: null, crop: rect(0, 0, 200, 100) });
  house.link.paint(caret, 0xffffff);
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  t.equal((await house.act(typed)).wasConfirmed, true);
  house.clock.advance(6000);
  const button = rect(5, 15, 30, 12);
  blink(button);
  const click = ask(house);
  await settle();
  house.link.paint(button, 0x123456);
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await t.rejects(house.act(click), { code: "stale_screen" });
});

t.test("an inexact target is compared with tolerance, and the card says so", async (t) => {
  const house = House.live("assist");
  house.link.isExact = false;
  const noisy = ask(house);
  await settle();
  t.equal(card(house).isExact, false);
  house.link.paint(rect(0, 0, 200, 100), 0x262626);
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  t.equal((await house.act(noisy)).wasConfirmed, true);
  const changed = ask(house);
  await settle();
  house.link.paint(rect(8, 16, 8, 8), 0xffffff);
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await t.rejects(house.act(changed), { code: "stale_screen" });
});

t.test("a changed size, a lost target and a late turn void an approval too", async (t) => {
  const house = House.live("assist");
  const resized = ask(house);
  await settle();
  house.link.framebuffer.resize(201, 100);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 201, 100), flags: 0 }]);
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await t.rejects(house.act(resized), { code: "stale_screen" });
  const lost = ask(house);
  await settle();
  const { id } = card(house);
  house.link.drop();
  house.desktop.approvals.decide(id, true, HUMAN);
  await t.rejects(house.act(lost, 100), { code: /stale_screen|target_down/ });
});

t.test("a yes is good once: not twice, not after its time, not for a cancelled call", async (t) => {
  const house = House.live("assist");
  const work = ask(house);
  await settle();
  const { id, argumentsHash } = card(house);
  house.desktop.approvals.decide(id, true, HUMAN);
  t.throws(() => house.desktop.approvals.decide(id, true, HUMAN), { code: "not_found" });
  await house.act(work);
  const again = ask(house);
  await settle();
  t.equal(card(house).argumentsHash, argumentsHash, "the same arguments are asked again");
  t.not(card(house).id, id);
  const other = card(house).id;
  house.clock.advance(45_000);
  await t.rejects(again, { code: "approval_expired" });
  t.throws(() => house.desktop.approvals.decide(other, true, HUMAN), { code: "not_found" });
  const abort = new AbortController();
  const cancelled = ask(house, CLICK, abort.signal);
  await settle();
  const third = card(house).id;
  house.desktop.approvals.decide(third, true, HUMAN);
  abort.abort();
  const sent = house.link.said.filter((line) => line.startsWith("pointer")).length;
  await t.rejects(house.act(cancelled), { code: "cancelled" }, "cancelled between the yes and the doing");
  t.equal(house.link.said.filter((line) => line.startsWith("pointer")).length, sent);
});

t.test("no agent decides, whoever it is and whatever it answers", async (t) => {
  const house = House.live("assist");
  const work = ask(house);
  await settle();
  const { id } = card(house);
  for (const kind of ["agent", "extension", "replay"] as const) {
    t.throws(() => house.desktop.approvals.decide(id, true, { ...HUMAN, kind }), {
      code: "permission_denied",
    });
    t.throws(() => house.desktop.setHolding(true, { ...HUMAN, kind }), { code: "permission_denied" });
    t.throws(() => house.desktop.setHolding(false, { ...HUMAN, kind }), { code: "permission_denied" });
  }
  t.equal(house.desktop.approvals.pending.length, 1, "the question is still open");
  house.desktop.approvals.decide(id, false, HUMAN);
  await t.rejects(work, { code: "denied_by_human" });
});

t.test("what a human changed is what is done", async (t) => {
  const house = House.live("assist");
  const click = ask(house);
  await settle();
  const { id } = card(house);
  t.throws(() => house.desktop.approvals.decide(id, { kind: "approve", edit: { text: "x" } }, HUMAN), {
    code: "invalid_parameters",
  });
  house.desktop.approvals.decide(id, { kind: "approve", edit: { x: 50, y: 60 } }, HUMAN);
  t.match(await house.act(click), { position: { x: 50, y: 60 }, edit: { x: 50, y: 60 } });
  const far = ask(house);
  await settle();
  house.desktop.approvals.decide(card(house).id, { kind: "approve", edit: { x: 900, y: 60 } }, HUMAN);
  await t.rejects(house.act(far), { code: "out_of_bounds" });
  const text = ask(house, typing("secret"));
  await settle();
  house.link.said.length = 0;
  house.desktop.approvals.decide(card(house).id, { kind: "approve", edit: { text: "b" } }, HUMAN);
  t.match((await house.act(text)).edit, { text: "b" }, "and the agent is told");
  t.same(
    house.link.said.filter((line) => line.startsWith("down")),
    ["down 62"],
  );
  const paste = ask(house, { kind: "paste", text: "long", keysyms: [0xffe3, 0x76], name: "Ctrl+V" });
  await settle();
  house.link.said.length = 0;
  house.desktop.approvals.decide(card(house).id, { kind: "approve", edit: { text: "short" } }, HUMAN);
  t.match((await house.act(paste)).edit, { text: "short" }, "one question for the clipboard and the keys");
  t.same(
    house.link.said.filter((line) => /^(down|clipboard)/.test(line)),
    ["clipboard 5", "down ffe3", "down 76"],
  );
});

t.test(
  "a kind allowed here for ten minutes is not asked again: here, this kind, this agent, so long",
  async (t) => {
    const house = House.live("assist");
    house.link.framebuffer.resize(1000, 800);
    house.link.events.resize([{ id: 1, rect: rect(0, 0, 1000, 800), flags: 0 }]);
    const isAsked = async (action: Action, actor = AGENT, requireConfirmation = false): Promise<boolean> => {
      const abort = new AbortController();
      const work = house.desktop.perform(action, actor, { signal: abort.signal, requireConfirmation });
      work.catch(() => undefined);
      await settle();
      const asked = house.desktop.approvals.pending.length > 0;
      if (asked) abort.abort();
      await house.act(work.catch(() => undefined));
      return asked;
    };
    const grant = async (): Promise<void> => {
      const work = ask(house, { ...CLICK, x: 500, y: 400 });
      await settle();
      house.desktop.approvals.decide(card(house).id, { kind: "approve", allowForMs: 600_000 }, HUMAN);
      await house.act(work);
    };
    await grant();
    t.equal(await isAsked({ ...CLICK, x: 520, y: 410 }), false, "near by");
    t.equal(await isAsked({ ...CLICK, x: 700, y: 400 }), true, "elsewhere");
    t.equal(await isAsked({ ...CLICK, x: 520, y: 410, button: "right" }), true, "another button");
    t.equal(await isAsked(typing("x")), true, "another kind");
    t.equal(await isAsked({ ...CLICK, x: 520, y: 410 }, { ...AGENT, id: "other" }), true, "another agent");
    t.equal(await isAsked({ ...CLICK, x: 520, y: 410 }, AGENT, true), true, "where the call demands it");
    house.clock.advance(600_000);
    t.equal(await isAsked({ ...CLICK, x: 520, y: 410 }), true, "later");
    await grant();
    house.desktop.stop(HUMAN);
    house.desktop.resume(HUMAN);
    t.equal(await isAsked({ ...CLICK, x: 520, y: 410 }), true, "after a stop");
  },
);

t.test("taking over from the card tells the agent so", async (t) => {
  const house = House.live("assist");
  const work = ask(house);
  await settle();
  house.desktop.approvals.decide(card(house).id, { kind: "take_over" }, HUMAN);
  await t.rejects(house.act(work), { code: "human_in_control" });
});

t.test("fifty questions wait at most, and the clipboard's own limits are asked or refused", async (t) => {
  const house = House.live("autopilot", { clipboard: { read: "ask", write: "deny" } });
  for (let i = 0; i < 50; i++) void ask(house, { kind: "read_clipboard" });
  await settle();
  t.equal(house.desktop.approvals.pending.length, 50);
  t.match(house.desktop.approvals.pending[0], { bound: null, screenHash: null });
  await t.rejects(ask(house, { kind: "read_clipboard" }), { code: "too_many" });
  await t.rejects(ask(house, { kind: "write_clipboard", text: "x" }), {
    code: "permission_denied",
    message: /configuration/,
  });
});
