import sharp from "sharp";
import t from "tap";
import type { Action } from "../../../src/desktop/control/action.ts";
import { detailsOf } from "../../../src/desktop/control/action-details.ts";
import type { Approval } from "../../../src/desktop/control/approvals/approvals.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import type { Audience } from "../../../src/desktop/view.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { settle } from "../../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN, typing } from "../house.ts";

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
  const { id } = card(house);
  house.link.paint(rect(12, 21, 1, 1), 0xffffff);
  t.same(house.desktop.approvals.pending, [], "void the moment it changed");
  t.match(
    house.events.findLast(({ type }) => type === "approval"),
    { approval: { state: "stale" } },
  );
  house.link.paint(rect(12, 21, 1, 1), 0x222222);
  t.throws(
    () => house.desktop.approvals.decide(id, true, HUMAN),
    { code: "not_found" },
    "nothing revives it",
  );
  await t.rejects(house.act(work), { code: "stale_screen" });
  t.same(
    house.link.said.filter((line) => line.startsWith("pointer")),
    [],
  );
  t.match(house.desktop.actions.at(-1), { outcome: "refused", code: "stale_screen", wasConfirmed: false });
});

t.test(
  "what changes after the yes voids it too, also if it changes back before the turn comes",
  async (t) => {
    const house = House.live("assist");
    const work = ask(house);
    await settle();
    house.link.answers = false;
    house.desktop.approvals.decide(card(house).id, true, HUMAN);
    await settle();
    house.link.paint(rect(12, 21, 1, 1), 0xffffff);
    house.link.paint(rect(12, 21, 1, 1), 0x222222);
    house.link.pass();
    house.link.answers = true;
    await t.rejects(house.act(work), { code: "stale_screen" });
    t.notOk(house.link.said.some((line) => line.startsWith("pointer")));
  },
);

t.test(
  "the card's picture is what is bound, whatever the screen shows since, and goes with the card",
  async (t) => {
    const house = House.live("assist");
    house.link.paint(rect(0, 0, 200, 100), 0x0000ff);
    const work = ask(house);
    await settle();
    const { id, crop } = card(house);
    const [before, after] = [
      house.desktop.approvals.picture(id, "viewer"),
      house.desktop.approvals.picture(id, "viewer"),
    ];
    t.equal(before, after, "encoded once");
    const bytes = await before;
    t.same(crop, rect(0, 0, 200, 100));
    const { data, info } = await sharp(bytes ?? undefined)
      .raw()
      .toBuffer({ resolveWithObject: true });
    t.same([...data.subarray(0, 3)], [255, 0, 0]);
    t.match(info, { width: 200, height: 100 });
    house.link.paint(rect(0, 0, 1, 1), 0x123456);
    t.equal(house.desktop.approvals.picture(id, "viewer"), null);
    await t.rejects(house.act(work), { code: "stale_screen" });
  },
);

t.test(
  "a card never shows one colour alone where there is more to see, and binds no more for it",
  async (t) => {
    const house = House.live("assist");
    house.link.framebuffer.resize(2000, 1200);
    house.link.events.resize([{ id: 1, rect: rect(0, 0, 2000, 1200), flags: 0 }]);
    house.link.paint(rect(0, 0, 2000, 1200), 0x222222);
    const at = async (): Promise<Approval> => {
      const work = ask(house, { ...CLICK, x: 1000, y: 600 });
      await settle();
      const asked = card(house);
      house.desktop.approvals.decide(asked.id, false, HUMAN);
      await t.rejects(house.act(work), { code: "denied_by_human" });
      return asked;
    };
    const bound = rect(840, 510, 320, 180);
    t.match(await at(), { bound, crop: rect(360, 240, 1280, 720) }, "nothing is near: as wide as it gets");
    house.link.paint(rect(700, 600, 20, 20), 0xffffff);
    t.match(await at(), { bound, crop: rect(680, 420, 640, 360) }, "as wide as it takes");
    house.link.paint(rect(1000, 600, 2, 2), 0xffffff);
    t.match(await at(), { bound, crop: bound }, "what shows something is shown as it is");
  },
);

t.test("an edit that changes nothing is none: the agent hears of no change", async (t) => {
  const house = House.live("assist");
  const click = ask(house);
  await settle();
  const { x = 0, y = 0 } = CLICK;
  house.desktop.approvals.decide(card(house).id, { kind: "approve", edit: { x, y } }, HUMAN);
  t.equal((await house.act(click)).edit, undefined);
  const text = ask(house, typing("word"));
  await settle();
  house.desktop.approvals.decide(card(house).id, { kind: "approve", edit: { text: "word" } }, HUMAN);
  t.equal((await house.act(text)).edit, undefined);
});

t.test("a drag is bound and shown all along its way, with each point and key", async (t) => {
  const house = House.live("assist");
  house.link.framebuffer.resize(1000, 800);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 1000, 800), flags: 0 }]);
  const path = [
    { x: 10, y: 10 },
    { x: 600, y: 350 },
    { x: 12, y: 12 },
  ];
  const drag = { kind: "drag", path, button: "left", holdKeysyms: [0xffe3], durationMs: null } as const;
  const work = ask(house, drag);
  await settle();
  t.same(card(house).bound, rect(0, 0, 760, 440));
  t.match(card(house).summary, /by way of 1 more point with Ctrl held/);
  t.match(detailsOf(drag), [
    { name: "By way of", value: "10,10 → 600,350 → 12,12" },
    { name: "Keys held", value: "Ctrl" },
  ]);
  house.link.paint(rect(600, 350, 2, 2), 0xffffff);
  await t.rejects(house.act(work), { code: "stale_screen" }, "its way changed");
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
        const way = next(4);
        if (way === 0) return;
        const isUndone = way === 1;
        const other = colour + 1 + next(1000);
        if (isUndone) house.link.paint(rect(10, 20, 1, 1), other);
        hasChanged = isUndone || hasChanged;
        colour = isUndone ? seen : other;
        house.link.paint(rect(10, 20, 1, 1), colour);
      };
      let hasChanged = false;
      house.link.paint(rect(10, 20, 1, 1), colour);
      const action = next(4) === 0 ? typing("x") : CLICK;
      const work = ask(house, action);
      await settle();
      const when = next(4);
      if (when === 0) change();
      house.link.answers = false;
      const [asked] = house.desktop.approvals.pending;
      if (asked !== undefined) house.desktop.approvals.decide(asked.id, true, HUMAN);
      else if (when !== 0) t.fail("void without a change");
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
      const wasStale = when === 3 ? house.link.colourAtFirstInput !== seen : hasChanged || moment !== seen;
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
  await t.rejects(house.act(changed), { code: "stale_screen" });
});

t.test("a changed size, a lost target and a late turn void an approval too", async (t) => {
  const house = House.live("assist");
  const resized = ask(house);
  await settle();
  house.link.framebuffer.resize(201, 100);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 201, 100), flags: 0 }]);
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

/** A house where `action` was allowed for ten minutes and done once; `isAsked` tells of the next ones. */
async function allowing(action: Action) {
  const house = House.live("assist");
  house.link.framebuffer.resize(1000, 800);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 1000, 800), flags: 0 }]);
  const work = ask(house, action);
  await settle();
  house.desktop.approvals.decide(card(house).id, { kind: "approve", allowForMs: 600_000 }, HUMAN);
  await house.act(work);
  const isAsked = async (next: Action): Promise<boolean> => {
    const abort = new AbortController();
    const again = house.desktop.perform(next, AGENT, { signal: abort.signal });
    again.catch(() => undefined);
    await settle();
    const asked = house.desktop.approvals.pending.length > 0;
    if (asked) abort.abort();
    await house.act(again.catch(() => undefined));
    return asked;
  };
  return { house, isAsked };
}

function press(name: string, ...keysyms: number[]): Action {
  return { kind: "chords", chords: [keysyms], repeat: 1, holdMs: 0, names: [name] };
}

t.test("keys allowed for a while are that chord alone", async (t) => {
  const { isAsked } = await allowing(press("Return", 0xff0d));
  t.equal(await isAsked(press("Return", 0xff0d)), false);
  t.equal(await isAsked(press("Alt+F4", 0xffe9, 0xffc1)), true);
  t.equal(await isAsked(press("Ctrl+Alt+T", 0xffe3, 0xffe9, 0x74)), true);
  t.equal(await isAsked(press("Super+R", 0xffeb, 0x72)), true);
});

t.test("clicks allowed for a while are that button, count and keys alone", async (t) => {
  const { isAsked } = await allowing({ ...CLICK, x: 500, y: 400 });
  t.equal(await isAsked({ ...CLICK, x: 500, y: 401 }), false);
  t.equal(await isAsked({ ...CLICK, x: 500, y: 401, clicks: 3 }), true);
  t.equal(await isAsked({ ...CLICK, x: 500, y: 401, holdKeysyms: [0xffe3, 0xffe1] }), true);
});

t.test("keys that are held down are part of what is allowed, asked and done", async (t) => {
  const { house, isAsked } = await allowing({ ...CLICK, x: 500, y: 400 });
  const decided = async (action: Action): Promise<void> => {
    const work = ask(house, action);
    await settle();
    house.desktop.approvals.decide(card(house).id, true, HUMAN);
    await house.act(work);
  };
  const ctrl = { kind: "hold", keysyms: [0xffe3], name: "Ctrl" } as const;
  await decided({ ...ctrl, isDown: true });
  t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), true, "a click was allowed, not one with Ctrl");
  const click = ask(house, { ...CLICK, x: 500, y: 400 });
  await settle();
  t.match(card(house), { summary: "Click left at 500,400 with Ctrl held" });
  house.desktop.approvals.decide(card(house).id, { kind: "approve", allowForMs: 600_000 }, HUMAN);
  await house.act(click);
  t.match(house.desktop.grants.all, [
    { scope: "Click left here" },
    { scope: "Click left here with Ctrl held" },
  ]);
  t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), false);
  // Asked about with Ctrl down, and answered when it has come up.
  const late = ask(house, press("Delete", 0xffff));
  await settle();
  t.match(card(house), { summary: "Press Delete with Ctrl held" });
  const { id } = card(house);
  const up = ask(house, { ...ctrl, isDown: false });
  await settle();
  const [, other] = house.desktop.approvals.pending;
  house.desktop.approvals.decide(other?.id ?? "", true, HUMAN);
  await house.act(up);
  house.desktop.approvals.decide(id, true, HUMAN);
  await t.rejects(house.act(late), { code: "stale_screen", message: /keys or buttons that are held/ });
  t.notOk(house.link.said.includes("down ffff"));
  t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), false, "without Ctrl, as it was allowed first");
});

t.test("a button that is held down is part of what is allowed and asked", async (t) => {
  const { house, isAsked } = await allowing({ kind: "move", x: 500, y: 400 });
  t.equal(await isAsked({ kind: "move", x: 510, y: 400 }), false);
  const down = ask(house, { kind: "button", x: 500, y: 400, button: "left", isDown: true });
  await settle();
  t.match(card(house), { summary: "Press the left button at 500,400" });
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await house.act(down);
  const drag = ask(house, { kind: "move", x: 520, y: 400 });
  await settle();
  t.match(card(house), { summary: "Move the pointer to 520,400, the left button down" }, "no mere move");
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await house.act(drag);
  const up = ask(house, { kind: "button", x: null, y: null, button: "left", isDown: false });
  await settle();
  t.match(card(house), { summary: "Let go of the left button where the pointer is" });
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await house.act(up);
  t.equal(await isAsked({ kind: "move", x: 510, y: 400 }), false, "as it was allowed");
});

t.test(
  "text allowed for a while has no line break, and one with a line break is allowed once only",
  async (t) => {
    const { house, isAsked } = await allowing(typing("ok"));
    t.equal(await isAsked(typing("yes")), false);
    t.equal(await isAsked(typing("rm -rf ~\n")), true);
    t.equal(await isAsked({ ...typing("x"), clearExisting: true }), true);
    const work = ask(house, typing("ls\n"));
    await settle();
    const { id } = card(house);
    t.throws(() => house.desktop.approvals.decide(id, { kind: "approve", allowForMs: 600_000 }, HUMAN), {
      code: "invalid_parameters",
    });
    house.desktop.approvals.decide(id, false, HUMAN);
    await t.rejects(house.act(work), { code: "denied_by_human" });
  },
);

t.test(
  "what is allowed for a while ends with another screen, for good, but not by what it does itself",
  async (t) => {
    const { house, isAsked } = await allowing({ ...CLICK, x: 500, y: 400 });
    const original = house.link.pointer.bind(house.link);
    house.link.pointer = (x, y, buttons) => {
      original(x, y, buttons);
      if (buttons !== 0) house.link.paint(rect(490, 390, 20, 20), 0x00ff00);
    };
    t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), false);
    t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), false, "the button that lit up is its own doing");
    t.match(house.desktop.grants.all, [{ scope: "Click left here", uses: 3, by: HUMAN, actor: AGENT }]);
    house.link.paint(rect(490, 390, 2, 2), 0x0000ff);
    t.same(house.desktop.grants.all, []);
    t.match(
      house.events.findLast(({ type }) => type === "grant"),
      { change: "stale" },
    );
    house.link.paint(rect(490, 390, 2, 2), 0x00ff00);
    t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), true);
  },
);

t.test("an allowed click that opens another screen is the last one", async (t) => {
  const { house, isAsked } = await allowing({ ...CLICK, x: 500, y: 400 });
  const original = house.link.pointer.bind(house.link);
  house.link.pointer = (x, y, buttons) => {
    original(x, y, buttons);
    if (buttons !== 0) house.link.paint(rect(0, 0, 1000, 800), 0x00ff00);
  };
  t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), false);
  t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), true);
});

t.test("people take back what was allowed, agents do not, and rules that change end it", async (t) => {
  const { house, isAsked } = await allowing({ ...CLICK, x: 500, y: 400 });
  const [grant] = house.desktop.grants.all;
  t.throws(() => house.desktop.grants.revoke(grant?.id ?? "", AGENT), { code: "permission_denied" });
  t.equal(house.desktop.grants.revoke(grant?.id ?? "", HUMAN), true);
  t.equal(house.desktop.grants.revoke(grant?.id ?? "", HUMAN), false);
  t.equal(await isAsked({ ...CLICK, x: 500, y: 400 }), true);
  t.same(
    house.events.flatMap((event) => (event.type === "grant" ? [event.change] : [])),
    ["given", "used", "revoked"],
  );
  const next = await allowing({ ...CLICK, x: 500, y: 400 });
  next.house.desktop.setMode("composing", HUMAN);
  t.same(next.house.desktop.grants.all, []);
});

t.test("slow typing ends where the screen becomes another one", async (t) => {
  const house = House.live("assist");
  const work = ask(house, { ...typing("abcdefghij"), wordsPerMinute: 60 });
  await settle();
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await house.clock.live(700, 50);
  const begun = house.link.said.filter((line) => line.startsWith("down")).length;
  t.ok(begun > 0);
  house.link.paint(rect(0, 0, 10, 10), 0x00ff00);
  await house.clock.live(300, 50);
  const further = house.link.said.filter((line) => line.startsWith("down")).length;
  t.ok(further > begun, "what the text itself changes is no other screen");
  house.link.paint(rect(0, 0, 200, 60), 0x00ff00);
  await t.rejects(house.act(work, 3000), { code: "stale_screen" });
  t.ok(house.link.said.filter((line) => line.startsWith("down")).length < 10);
});

t.test("taking over from the card tells the agent so", async (t) => {
  const house = House.live("assist");
  const work = ask(house);
  await settle();
  house.desktop.approvals.decide(card(house).id, { kind: "take_over" }, HUMAN);
  await t.rejects(house.act(work), { code: "human_in_control" });
});

t.test(
  "an agent has five open questions, others are not affected, and it is told what makes room",
  async (t) => {
    const house = House.live("autopilot", { clipboard: { read: "ask", write: "deny" } });
    const read = { kind: "read_clipboard" } as const;
    for (let i = 0; i < 5; i++) void ask(house, read);
    await settle();
    t.equal(house.desktop.approvals.pending.length, 5);
    t.match(house.desktop.approvals.pending[0], { bound: null, screenHash: null });
    house.clock.advance(5000);
    await t.rejects(ask(house, read), {
      code: "too_many",
      message: /5 questions of yours.*expiry in 40 s makes room/,
      retryAfterMs: 40_000,
    });
    for (let i = 0; i < 45; i++) {
      const work = house.desktop.perform(read, { ...AGENT, id: `other ${i % 9}` });
      work.catch(() => undefined);
    }
    await settle();
    t.equal(house.desktop.approvals.pending.length, 50);
    const late = house.desktop.perform(read, { ...AGENT, id: "late" });
    await t.rejects(
      late,
      { code: "too_many", message: /about this desktop/ },
      "and no more than people can answer",
    );
    await t.rejects(ask(house, { kind: "write_clipboard", text: "x" }), {
      code: "permission_denied",
      message: /configuration/,
    });
  },
);

t.test("what an agent says cannot turn a card's words around", async (t) => {
  const house = House.live("assist");
  const intent = "delete \u202eeverything\u202c\u200b now\nApproved";
  const work = house.desktop.perform(CLICK, { ...AGENT, name: "a\u2066gent" }, { intent });
  work.catch(() => undefined);
  await settle();
  t.match(card(house), { intent: "delete everything now Approved", actor: { name: "agent" } });
  house.desktop.approvals.decide(card(house).id, false, HUMAN);
  await t.rejects(house.act(work), { code: "denied_by_human" });
  t.equal(house.desktop.actions.at(-1)?.intent, "delete everything now Approved");
});

t.test("a yes that cannot be written down does nothing", async (t) => {
  const told: string[] = [];
  const secured = async (): Promise<void> => {
    told.push(card.name);
    throw new RefusedError("audit_down", "the audit log cannot be written");
  };
  const house = House.live("assist", {}, { secured });
  const work = ask(house);
  await settle();
  t.strictSame(told, [], "a question is asked all the same");
  house.desktop.approvals.decide(card(house).id, true, HUMAN);
  await t.rejects(house.act(work), { code: "audit_down" });
  t.equal(told.length, 1);
  t.strictSame(house.link.said, []);
});

t.test(
  "a yes counts from whom the picture was shown to for the arming time; a no counts at once",
  async (t) => {
    const house = House.live("assist", { approvalArmingMs: 500 });
    const { approvals } = house.desktop;
    const other = { ...HUMAN, id: "other" };
    const work = ask(house);
    await settle();
    const { id, armingMs } = card(house);
    t.equal(armingMs, 500);
    const early = (by = HUMAN): RefusedError => {
      try {
        approvals.decide(id, true, by);
      } catch (error) {
        if (error instanceof RefusedError) return error;
      }
      throw new Error("expected a refusal");
    };
    approvals.shown(id, HUMAN, "words");
    house.clock.advance(10_000);
    t.match(early(), { code: "too_early", message: /picture was never fetched/, retryAfterMs: null });
    approvals.shown(id, HUMAN, "all");
    house.clock.advance(200);
    approvals.shown(id, HUMAN, "all");
    t.match(early(), { code: "too_early", message: /wait 300 ms/, retryAfterMs: 300 }, "again is not anew");
    house.clock.advance(299);
    t.match(early(), { retryAfterMs: 1 });
    house.clock.advance(1);
    t.match(early(other), { message: /never fetched/ }, "what another one saw does not count");
    approvals.decide(id, true, HUMAN);
    t.match(await house.act(work), { wasConfirmed: true });
    approvals.shown("gone", HUMAN, "all");

    const refused = ask(house);
    await settle();
    approvals.decide(card(house).id, false, HUMAN);
    await t.rejects(refused, { code: "denied_by_human" });
  },
);

t.test("no hash is kept of pixels that somebody must not see", async (t) => {
  for (const audience of ["agent", "viewer", "recording"] as const) {
    const house = House.live("assist");
    const mask = { rect: rect(5, 5, 4, 4), monitor: null, mark: null, audiences: [audience], label: null };
    const { id } = house.desktop.masks.add(mask, null, HUMAN);
    const hidden = ask(house);
    await settle();
    t.match(card(house), { bound: rect(0, 0, 200, 100), screenHash: null }, audience);
    house.desktop.approvals.decide(card(house).id, false, HUMAN);
    await t.rejects(house.act(hidden), { code: "denied" });
    house.desktop.masks.remove(id, HUMAN);
    const seen = ask(house);
    await settle();
    t.match(card(house), { screenHash: /^[0-9a-f]{64}$/ }, "kept where all may see them");
    house.desktop.approvals.decide(card(house).id, false, HUMAN);
    await t.rejects(house.act(seen));
  }
});

t.test("what is asked shows people of each role what they see", async (t) => {
  const house = House.live("assist");
  house.link.paint(rect(0, 0, 60, 60), 0x224466);
  house.desktop.masks.add(
    { rect: rect(0, 0, 40, 40), monitor: null, audiences: ["viewer:approver"], label: null },
    null,
    HUMAN,
  );
  const asked = ask(house);
  await settle();
  const { id, hiddenFrom } = card(house);
  t.same(hiddenFrom, ["viewer:approver"]);
  const first = async (audience: Audience): Promise<number[]> => {
    const picture = (await house.desktop.approvals.picture(id, audience)) ?? new Uint8Array(0);
    return [...(await sharp(picture).removeAlpha().raw().toBuffer()).subarray(0, 3)];
  };
  t.same(await first("viewer:approver"), [0x40, 0x40, 0x40]);
  for (const other of ["viewer", "viewer:operator", "viewer:viewer"] as const)
    t.same(await first(other), await first("viewer"), other);
  t.notSame(await first("viewer"), [0x40, 0x40, 0x40]);
  t.equal(house.desktop.approvals.picture(id, "agent"), null);
  house.desktop.approvals.decide(id, false, HUMAN);
  await t.rejects(house.act(asked), { code: "denied" });
});

t.test("what a human wrote or clicked under a mask of agents is not told to them", async (t) => {
  const house = House.live("assist");
  const spec = { monitor: null, label: null, audiences: ["agent"] as const };
  house.desktop.masks.add({ ...spec, rect: { x: 0, y: 0, width: 200, height: 50 } }, null, HUMAN);
  const decided = async (work: ReturnType<typeof ask>, edit: { text: string } | { x: number; y: number }) => {
    await settle();
    house.desktop.approvals.decide(card(house).id, { kind: "approve", edit }, HUMAN);
    return await house.act(work);
  };
  const typed = await decided(ask(house, typing("name")), { text: "hunter2\u{ffffe}" });
  t.same(typed.edit, {}, "that they changed it");
  t.notMatch(JSON.stringify(typed), "hunter2");
  t.ok(house.link.said.includes("down 68"), "it was typed");
  const hidden = await decided(ask(house), { x: 50, y: 30 });
  t.match(hidden, { edit: {}, position: null });
  t.notMatch(JSON.stringify(hidden.edit), "50");
  const open = await decided(ask(house), { x: 150, y: 90 });
  t.match(open, { edit: { x: 150, y: 90 }, position: { x: 150, y: 90 } });
  const { actions } = house.desktop;
  t.notMatch(JSON.stringify(actions), "hunter2");
});
