import t from "tap";
import type { Action, Actor, PerformOptions } from "../../../src/desktop/control/action.ts";
import type { Decision } from "../../../src/desktop/control/approvals/approvals.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { settle } from "../../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN, typing } from "../house.ts";

const OTHER: Actor = { kind: "agent", id: "b", name: "second agent" };
const SHIFT = 0xffe1;
const CAPS_LOCK = ["down ffe5", "up ffe5"];
const HOLD_SHIFT = { kind: "hold", keysyms: [SHIFT], isDown: true, name: "Shift" } as const;
const APPROVE: Decision = { kind: "approve" };

/** A call that never leaves a rejection unheard. */
function start(house: House, action: Action, actor = AGENT, options: PerformOptions = {}) {
  const work = house.desktop.perform(action, actor, options);
  work.catch(() => undefined);
  return work;
}

/** What a call came to within so long: "done", its code, or "nothing" while it goes on. */
async function ended(house: House, work: Promise<unknown>, durationMs = 2000): Promise<string> {
  let outcome = "nothing";
  work.then(
    () => {
      outcome = "done";
    },
    (error: { code?: string }) => {
      outcome = error.code ?? "bug";
    },
  );
  await house.clock.live(durationMs);
  return outcome;
}

/** An action that a person says yes to, done. */
async function approved(house: House, action: Action, decision = APPROVE): Promise<void> {
  const work = start(house, action);
  await settle();
  const [card] = house.desktop.approvals.pending;
  house.desktop.approvals.decide(card?.id ?? "", decision, HUMAN);
  await ended(house, work);
}

function drag(durationMs: number): Action {
  const path = [
    { x: 10, y: 10 },
    { x: 150, y: 80 },
  ];
  return { kind: "drag", path, button: "left", holdKeysyms: [], durationMs };
}

function inputOf(house: House): string[] {
  return house.link.said.filter((line) => /^(pointer|down|up)/.test(line));
}

t.test("what an agent left down comes up after a minute, whatever was approved since", async (t) => {
  const house = House.live("assist");
  await approved(house, { kind: "button", x: 10, y: 20, button: "left", isDown: true });
  await approved(house, { kind: "move", x: 30, y: 40 });
  t.ok(house.desktop.isPressedBy(AGENT.id));
  house.link.said.length = 0;
  // The yes to the move is long over by then.
  await house.clock.live(61_000, 500);
  t.same(inputOf(house), ["pointer 30,40 0"]);
  t.notOk(house.desktop.isPressedBy(AGENT.id));
});

t.test("an action ends where its target is lost, and does not go on in the next connection", async (t) => {
  for (const actor of [AGENT, HUMAN]) {
    const house = House.live();
    const slow = start(house, { ...typing("abcdefghij"), wordsPerMinute: 60 }, actor);
    const dragging = start(house, drag(400), actor);
    await house.clock.live(700);
    house.link.drop();
    house.clock.advance(500);
    t.equal(house.links.length, 2);
    house.link.goLive();
    t.equal(await ended(house, slow, 5000), "target_down", actor.kind);
    t.not(await ended(house, dragging), "nothing");
    const pressed = inputOf(house).filter((line) => !/^up| 0$/.test(line));
    t.same(pressed, [], "the rest is nobody's any more: what was down is let go, nothing else");
  }
});

t.test("what waits for its turn when the target is lost is told so too", async (t) => {
  const house = House.live();
  const first = start(house, { ...typing("abcdef"), wordsPerMinute: 60 });
  const second = start(house, CLICK, OTHER);
  await house.clock.live(300);
  house.link.drop();
  t.equal(await ended(house, first, 100), "target_down");
  t.equal(await ended(house, second, 100), "target_down");
});

t.test("a new connection takes no agent's input before its picture is whole", async (t) => {
  const house = House.live();
  house.link.drop();
  house.clock.advance(500);
  const { link } = house;
  link.events.ready({ name: "another", screens: [] });
  link.paint(rect(0, 0, 200, 60), 0x111111);
  t.equal(await ended(house, start(house, CLICK)), "target_down");
  t.equal(await ended(house, start(house, typing("rm"))), "target_down");
  t.same(inputOf(house), []);
  link.paint(rect(0, 60, 200, 40), 0x111111);
  t.equal(await ended(house, start(house, CLICK)), "done");
});

t.test("what was down when a connection was lost is let go in the next one", async (t) => {
  const house = House.live();
  t.equal(await ended(house, start(house, HOLD_SHIFT)), "done");
  t.equal(
    await ended(house, start(house, { kind: "button", x: 9, y: 8, button: "left", isDown: true })),
    "done",
  );
  house.link.drop();
  house.clock.advance(500);
  house.link.drop();
  house.clock.advance(1000);
  house.link.goLive();
  t.same(inputOf(house), ["up ffe1", "pointer 9,8 0"]);
  house.link.drop();
  house.clock.advance(500);
  house.link.goLive();
  t.same(inputOf(house), [], "and once");
});

t.test("to connect anew lets go of everything first, and takes nothing until it is live again", async (t) => {
  const house = House.live();
  t.equal(await ended(house, start(house, HOLD_SHIFT)), "done");
  const old = house.link;
  old.said.length = 0;
  const typed = start(house, { ...typing("abcdef"), wordsPerMinute: 60 });
  await house.clock.live(300);
  house.desktop.reconnect();
  t.equal(old.said.at(-1), "up ffe1");
  t.ok(old.isClosed);
  t.equal(await ended(house, typed, 100), "target_down");
  const sent = old.said.length;
  t.equal((await house.desktop.view("viewer").snapshot()).isStale, true);
  t.equal(await ended(house, start(house, CLICK)), "target_down");
  t.equal(await ended(house, start(house, CLICK, HUMAN)), "target_down");
  t.equal(old.said.length, sent, "nothing is said to a connection that was given up");
  house.desktop.setHolding(false, HUMAN);
  house.link.goLive();
  t.equal((await house.desktop.view("viewer").snapshot()).isStale, false);
  t.equal(await ended(house, start(house, CLICK)), "done");
});

t.test("a desktop that is removed ends what is done on it, and takes nothing more", async (t) => {
  const house = House.live();
  const { link } = house;
  t.equal(await ended(house, start(house, HOLD_SHIFT)), "done");
  const typed = start(house, { ...typing("abcdef"), wordsPerMinute: 60 }, HUMAN);
  const waiting = start(house, CLICK);
  await house.clock.live(300);
  house.desktop.close();
  const sent = link.said.length;
  await settle();
  t.equal(house.clock.waiting, 0, "and leaves no timer behind");
  t.equal(await ended(house, typed), "cancelled");
  t.equal(await ended(house, waiting), "human_in_control");
  t.equal(await ended(house, start(house, CLICK)), "cancelled");
  t.equal(await ended(house, start(house, CLICK, HUMAN)), "target_down");
  t.equal(link.said.length, sent);
  const asking = House.live("assist");
  asking.desktop.close();
  t.equal(await ended(asking, start(asking, CLICK)), "cancelled", "nobody is left to answer a question");
});

t.test("a stop binds agents: a person's own typing ends with it, and then goes on", async (t) => {
  const house = House.live();
  const long = start(house, { ...typing("abcdef"), wordsPerMinute: 60 }, HUMAN);
  await house.clock.live(300);
  house.desktop.stop(HUMAN);
  t.equal(await ended(house, long), "stopped");
  house.link.said.length = 0;
  t.equal(await ended(house, start(house, typing("ok"), HUMAN)), "done");
  t.equal(await ended(house, start(house, { kind: "write_clipboard", text: "mine" }, HUMAN)), "done");
  t.same(house.link.said, ["down 6f", "up 6f", "down 6b", "up 6b", "clipboard 4"]);
  t.equal(await ended(house, start(house, { ...CLICK, x: 999 }, HUMAN)), "out_of_bounds");
  t.equal(await ended(house, start(house, CLICK)), "stopped");
});

t.test("a mode that people set holds for what waits and for what is being done", async (t) => {
  const house = House.live();
  const running = start(house, drag(2000));
  const waiting = start(house, CLICK, OTHER);
  await house.clock.live(200);
  house.desktop.setMode("passive", HUMAN);
  t.equal(await ended(house, running, 100), "permission_denied");
  t.equal(await ended(house, waiting, 100), "permission_denied");
  t.equal(inputOf(house).at(-1)?.endsWith(" 0"), true, "the button is up");
  t.notOk(inputOf(house).includes("pointer 10,20 1"));
});

t.test("what was let in unasked and must be asked about now is not done", async (t) => {
  const house = House.live();
  const running = start(house, drag(400));
  const waiting = start(house, CLICK, OTHER);
  await house.clock.live(100);
  house.desktop.setMode("assist", HUMAN);
  for (const work of [running, waiting]) {
    t.equal(await ended(house, work, 100), "permission_denied");
  }
  // What was asked about stays good, and so does an agent's own work while another one chooses for itself.
  await approved(house, CLICK);
  house.desktop.setMode("autopilot", HUMAN);
  const mine = start(house, drag(400));
  await house.clock.live(100);
  house.desktop.setMode("passive", OTHER);
  t.equal(await ended(house, mine), "done");
});

t.test("a viewer that cannot resize the target disturbs no agent's drag", async (t) => {
  const house = House.live();
  const dragging = start(house, drag(400));
  await house.clock.live(100);
  await t.rejects(start(house, { kind: "resize", width: 50, height: 50 }, HUMAN), { code: "not_supported" });
  t.equal(await ended(house, dragging), "done");
  const states = inputOf(house).map((line) => line.split(" ")[2]);
  t.same(
    states.filter((state, i) => state !== states[i - 1]),
    ["0", "1", "0"],
    "pressed once, let go once",
  );
  t.equal(inputOf(house).at(-1), "pointer 150,80 0");
});

t.test("a button that was pressed where the screen is no more still comes up", async (t) => {
  const house = House.live();
  await house.desktop.perform({ kind: "pointer", x: 150, y: 90, buttons: 1 }, HUMAN);
  house.link.framebuffer.resize(100, 50);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 100, 50), flags: 0 }]);
  // So says a viewer that leaves, or that has not heard of the new size.
  await house.desktop.perform({ kind: "pointer", x: 150, y: 90, buttons: 0 }, HUMAN);
  t.equal(inputOf(house).at(-1), "pointer 99,49 0");
  await t.rejects(house.desktop.perform({ kind: "pointer", x: 150, y: 90, buttons: 1 }, HUMAN), {
    code: "out_of_bounds",
  });
  await house.clock.live(31_000, 1000);
  t.equal(house.desktop.holder, null, "nobody is thought to hold on to it");
});

t.test("a yes lasts by the time that passes, not by what the clock on the wall says", async (t) => {
  const house = House.live("assist");
  const date = house.clock.date.bind(house.clock);
  let skewMs = 0;
  house.clock.date = () => new Date(date().getTime() + skewMs);
  const late = start(house, CLICK);
  await settle();
  house.link.answers = false;
  house.clock.advance(44_500);
  house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", APPROVE, HUMAN);
  await house.clock.live(800);
  skewMs = -3_600_000;
  house.link.pass();
  t.equal(await ended(house, late), "approval_expired", "set back");
  house.link.answers = true;
  const early = start(house, CLICK);
  await settle();
  skewMs = 3_600_000;
  house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", APPROVE, HUMAN);
  t.equal(await ended(house, early), "done");
});

t.test("where a person moves a click and allows the like of it, they allow it there", async (t) => {
  const house = House.live("assist");
  house.link.framebuffer.resize(1000, 800);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 1000, 800), flags: 0 }]);
  await approved(house, CLICK, { kind: "approve", edit: { x: 900, y: 700 }, allowForMs: 600_000 });
  t.equal(await ended(house, start(house, { ...CLICK, x: 890, y: 690 })), "done");
  const asked = start(house, CLICK);
  await settle();
  t.equal(house.desktop.approvals.pending.length, 1, "and not where they did not want it");
  house.desktop.approvals.cancelAll();
  await t.rejects(asked);
});

const PERSONS_KEY = { kind: "key", keysym: 0x78, isDown: true, scancode: null } as const;

t.test(
  "caps lock that was switched off for typing is on again before whoever cuts in has the keys",
  async (t) => {
    for (const [who, cutIn] of [
      ["a person's key", (house: House) => void house.desktop.perform(PERSONS_KEY, HUMAN, {})],
      ["a stop", (house: House) => house.desktop.stop(HUMAN)],
    ] as const) {
      const house = House.live();
      house.link.events.locks?.({ capsLock: true, numLock: false, scrollLock: false });
      const work = house.desktop.perform({ ...typing("abc"), wordsPerMinute: 60 }, AGENT, {});
      work.catch(() => undefined);
      await house.clock.live(400);
      t.same(inputOf(house).slice(0, 4), [...CAPS_LOCK, "down 61", "up 61"], who);
      cutIn(house);
      t.not(await ended(house, work), "done");
      const rest = inputOf(house).slice(4);
      t.same(rest.slice(0, 2), CAPS_LOCK, `${who}: first of all`);
      t.notOk(rest.slice(2).includes("down ffe5"), `${who}: once`);
    }
  },
);

t.test("the locks of a connection that is gone are not those of the next one", async (t) => {
  const house = House.live();
  house.link.events.locks?.({ capsLock: true, numLock: false, scrollLock: false });
  house.link.drop();
  t.equal(house.desktop.locks(), null);
  house.clock.advance(500);
  house.link.goLive();
  t.equal(await ended(house, start(house, typing("a"))), "done");
  t.same(inputOf(house), ["down 61", "up 61"], "no caps lock is switched");
});

t.test(
  "an action that ends in its middle says how far it got, whatever ended it, and not to do it again",
  async (t) => {
    const press = { kind: "pointer", x: 1, y: 1, buttons: 1 } as const;
    const causes: Readonly<Record<string, (house: House, abort: AbortController) => void>> = {
      target_down: (house) => house.link.drop(),
      stopped: (house) => house.desktop.stop(HUMAN),
      human_in_control: (house) => void house.desktop.perform(press, HUMAN, {}),
      permission_denied: (house) => house.desktop.setMode("passive", HUMAN),
      cancelled: (_, abort) => abort.abort(),
      "cancelled ": (house) => house.desktop.close(),
    };
    for (const [code, end] of Object.entries(causes)) {
      const house = House.live();
      const abort = new AbortController();
      const action = { ...typing("abcdefghij"), wordsPerMinute: 60 };
      const work = start(house, action, AGENT, { signal: abort.signal });
      await house.clock.live(700);
      const typed = house.link.said.filter((line) => line.startsWith("down")).length;
      t.ok(typed > 1 && typed < 10, code);
      end(house, abort);
      const error: { code?: string; message?: string; done?: unknown } = await house
        .act(work)
        .catch((cause) => cause);
      t.match(error, { code: code.trim(), done: { typed, of: 10 } }, code);
      t.match(error.message, `by then ${typed} of 10 characters were typed`, code);
      t.notMatch(error.message, /again/, code);
    }
  },
);

t.test("a drag and clicks say where they ended; what never began says nothing", async (t) => {
  const house = House.live();
  const dragging = start(house, drag(2000));
  await house.clock.live(1000);
  house.desktop.stop(HUMAN);
  const stopped: { done?: unknown } = await house.act(dragging).catch((cause) => cause);
  const last = inputOf(house)
    .at(-1)
    ?.match(/^pointer (\d+),(\d+) 0$/);
  t.match(stopped.done, { points: 1, of: 2, x: Number(last?.[1]), y: Number(last?.[2]) });
  const refused: { code?: string; done?: unknown } = await house
    .act(start(house, CLICK))
    .catch((cause) => cause);
  t.match(refused, { code: "stopped", done: null });
});

t.test("an agent's action that would take longer than a minute is refused before it begins", async (t) => {
  const house = House.live("autopilot");
  const slow = { ...typing("twelve chars"), wordsPerMinute: 1 };
  t.equal(await ended(house, start(house, slow)), "invalid_parameters");
  const waits = { timing: { minDelayMs: 10_000, maxDelayMs: 10_000 } };
  t.equal(await ended(house, start(house, typing("1234567"), AGENT, waits)), "invalid_parameters");
  t.same(inputOf(house), []);
  t.equal(await ended(house, start(house, { ...typing("twelve chars"), wordsPerMinute: 60 }), 4000), "done");
});

t.test("only who took over, or an administrator, ends a declared take-over", async (t) => {
  const house = House.live();
  const approver: Actor = { kind: "human", id: "p", name: "Paul" };
  house.desktop.setHolding(true, { kind: "human", id: "o", name: "Olga", authority: "modes" });
  t.throws(() => house.desktop.setHolding(false, approver), { code: "permission_denied" });
  t.equal(house.desktop.holder?.actor.id, "o");
  house.desktop.setHolding(false, HUMAN);
  t.equal(house.desktop.holder, null);
});
