import t from "tap";
import type { Action, Actor } from "../../../src/desktop/control/action.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { settle } from "../../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN, typing } from "../house.ts";

const OTHER: Actor = { kind: "agent", id: "b", name: "second agent" };
const SHIFT = 0xffe1;

function press(house: House, x = 3, y = 4): Promise<unknown> {
  return house.desktop.perform({ kind: "pointer", x, y, buttons: 1 }, HUMAN);
}

function release(house: House, x = 3, y = 4): Promise<unknown> {
  return house.desktop.perform({ kind: "pointer", x, y, buttons: 0 }, HUMAN);
}

/** What a target has down after all that it was told. */
function pressedAfter(said: readonly string[]): string[] {
  const down = new Set<string>();
  for (const line of said) {
    const [word, what = "", buttons] = line.split(" ");
    if (word === "down") down.add(what);
    if (word === "up") down.delete(what);
    if (word === "pointer" && buttons === "0") down.delete("button");
    if (word === "pointer" && buttons !== "0") down.add("button");
  }
  return [...down];
}

function holders(house: House): (string | null)[] {
  return house.events.flatMap((event) => (event.type === "holder" ? [event.holder?.actor.id ?? null] : []));
}

t.test("a hold ends when its person's last viewer is gone, whatever the idle time", async (t) => {
  for (const isDeclared of [false, true]) {
    const house = House.live("autopilot", { humanIdleMs: 0 });
    const { desktop, clock } = house;
    const leave = desktop.attachViewer(HUMAN);
    const leaveSecond = desktop.attachViewer(HUMAN);
    const leaveOther = desktop.attachViewer({ id: "bob" });
    if (isDeclared) desktop.setHolding(true, HUMAN);
    else {
      await press(house);
      await release(house);
    }
    clock.advance(3_600_000);
    t.equal(desktop.holder?.actor.id, "h", "who stays keeps it for as long as they like");
    leave();
    clock.advance(60_000);
    t.equal(desktop.holder?.actor.id, "h", "another window of theirs is still open");
    leaveSecond();
    leaveSecond();
    clock.advance(9_000);
    t.equal(desktop.holder?.actor.id, "h");
    const leaveAgain = desktop.attachViewer(HUMAN);
    clock.advance(60_000);
    t.equal(desktop.holder?.actor.id, "h", "it came back in time");
    leaveOther();
    clock.advance(60_000);
    t.equal(desktop.holder?.actor.id, "h", "another's viewer says nothing of it");
    leaveAgain();
    clock.advance(11_000);
    t.equal(desktop.holder, null);
    await t.resolves(house.act(desktop.perform(CLICK, AGENT)), "agents work again");
    desktop.close();
    t.equal(clock.waiting, 0);
  }
});

t.test(
  "a person's hand ends what an agent does at once, lets go of its keys, and keeps the input",
  async (t) => {
    const house = House.live();
    house.link.answers = false;
    const long = house.desktop.perform(typing("a".repeat(200)), AGENT);
    const held = house.desktop.perform(
      { kind: "hold", keysyms: [SHIFT], isDown: true, name: "shift" },
      AGENT,
    );
    for (const work of [long, held]) work.catch(() => undefined);
    await house.clock.live(20);
    const before = house.link.said.length;
    await press(house);
    const after = house.link.said.slice(before);
    t.same(after, ["pointer 3,4 1"], "the press is all that came, and it came in the same moment");
    await t.rejects(house.act(long, 1500), { code: "human_in_control" });
    await t.rejects(held, { code: "human_in_control" });
    t.same(house.link.said.slice(before), ["pointer 3,4 1"], "nothing of the agent comes after it");
    await t.rejects(house.desktop.perform(CLICK, AGENT), {
      code: "human_in_control",
      message: /Ann holds the input.*30 s/,
    });
    await release(house);
    t.equal(house.desktop.holder?.actor.id, "h");
    house.desktop.setHolding(false, HUMAN);
    house.link.answers = true;
    await house.act(house.desktop.perform(CLICK, AGENT));
    t.same(holders(house), ["a", "h", null, "a"]);
  },
);

t.test("what an agent keeps pressed between actions is let go before a person's press arrives", async (t) => {
  const house = House.live();
  await house.act(
    house.desktop.perform({ kind: "hold", keysyms: [SHIFT], isDown: true, name: "shift" }, AGENT),
  );
  await house.act(house.desktop.perform({ kind: "button", x: 9, y: 9, button: "left", isDown: true }, AGENT));
  house.link.said.length = 0;
  await press(house);
  t.same(house.link.said, ["up ffe1", "pointer 9,9 0", "pointer 3,4 1"]);
  await house.desktop.perform({ kind: "key", keysym: SHIFT, isDown: true, scancode: null }, HUMAN);
  // The agent's own limit for held keys goes off while the person holds the same ones.
  house.link.said.length = 0;
  await house.clock.live(70_000, 1000);
  t.same(house.link.said, [], "a person's keys are theirs");
  t.equal(house.desktop.holder?.actor.id, "h", "who presses something has not gone away");
});

t.test(
  "the input comes back when given back, or when the person rests; typing and moving is no rest",
  async (t) => {
    const house = House.live();
    await press(house);
    await release(house);
    for (let i = 0; i < 4; i++) {
      await house.clock.live(20_000, 1000);
      await house.desktop.perform({ kind: "pointer", x: 5 + i, y: 5, buttons: 0 }, HUMAN);
    }
    t.equal(house.desktop.holder?.actor.id, "h");
    await house.clock.live(30_000, 1000);
    t.equal(house.desktop.holder, null);
    await house.act(house.desktop.perform(CLICK, AGENT));
    const kept = House.live("autopilot", { humanIdleMs: 0 });
    await press(kept);
    await release(kept);
    await kept.clock.live(600_000, 30_000);
    await t.rejects(kept.desktop.perform(CLICK, AGENT), {
      code: "human_in_control",
      message: /give it back$/,
    });
    kept.desktop.setHolding(false, HUMAN);
    await kept.act(kept.desktop.perform(CLICK, AGENT));
  },
);

t.test("who left something pressed is known, until it is let go", async (t) => {
  const house = House.live();
  const press = { kind: "button", x: 10, y: 20, button: "left", isDown: true } as const;
  t.notOk(house.desktop.isPressedBy(AGENT.id));
  await house.act(house.desktop.perform(press, AGENT));
  t.ok(house.desktop.isPressedBy(AGENT.id));
  t.notOk(house.desktop.isPressedBy("another"));
  await house.act(house.desktop.perform({ kind: "release" }, AGENT));
  t.notOk(house.desktop.isPressedBy(AGENT.id));
  t.equal(house.link.said.at(-1), "pointer 10,20 0");
  await house.act(house.desktop.perform(press, AGENT));
  house.desktop.setHolding(true, HUMAN);
  t.notOk(house.desktop.isPressedBy(AGENT.id), "a person's hand has let go of it");
});

t.test("a hand that only rests on the mouse takes nothing over and does not disturb a drag", async (t) => {
  const house = House.live();
  await house.desktop.perform({ kind: "pointer", x: 7, y: 7, buttons: 0 }, HUMAN);
  t.equal(house.desktop.holder, null);
  t.same(house.link.said, ["pointer 7,7 0"], "while nobody acts the pointer follows");
  const path = [
    { x: 10, y: 10 },
    { x: 150, y: 80 },
  ];
  const drag = house.desktop.perform(
    { kind: "drag", path, button: "left", holdKeysyms: [], durationMs: 400 },
    AGENT,
  );
  await house.clock.live(100);
  house.link.said.length = 0;
  await house.desktop.perform({ kind: "pointer", x: 1, y: 1, buttons: 0 }, HUMAN);
  await house.desktop.perform({ kind: "key", keysym: SHIFT, isDown: false, scancode: null }, HUMAN);
  t.same(house.link.said, []);
  await house.act(drag, 1500);
  t.equal(house.desktop.holder?.actor.id, "a");
  await house.clock.live(5000, 100);
  t.equal(house.desktop.holder, null, "an agent that rests holds nothing");
});

t.test("shared clipboards, sizes and reading take nothing over", async (t) => {
  const house = House.live();
  await house.act(house.desktop.perform({ kind: "write_clipboard", text: "x" }, HUMAN));
  t.equal(house.desktop.holder, null);
  await press(house);
  const read = await house.act(house.desktop.perform({ kind: "read_clipboard" }, AGENT), 50);
  t.equal(read.wasConfirmed, false, "an agent may look meanwhile");
  await t.rejects(house.desktop.perform({ kind: "write_clipboard", text: "x" }, AGENT), {
    code: "human_in_control",
  });
  await t.rejects(house.desktop.perform({ kind: "release" }, AGENT), { code: "human_in_control" });
});

t.test("a yes from the person who holds the input lends it; anybody else's does not", async (t) => {
  const house = House.live("assist");
  const first = house.desktop.perform(CLICK, AGENT);
  first.catch(() => undefined);
  await settle();
  await press(house);
  await release(house);
  house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", true, {
    ...HUMAN,
    id: "somebody else",
  });
  await t.rejects(house.act(first), { code: "human_in_control" });
  house.desktop.setHolding(false, HUMAN);
  const second = house.desktop.perform(CLICK, AGENT);
  await settle();
  await press(house);
  await release(house);
  house.desktop.approvals.decide(house.desktop.approvals.pending[0]?.id ?? "", true, HUMAN);
  t.equal((await house.act(second)).wasConfirmed, true);
});

t.test("who said that they take over is asked nothing; who only used the mouse is", async (t) => {
  const house = House.live("assist");
  await press(house);
  await release(house);
  const asked = house.desktop.perform(CLICK, AGENT);
  asked.catch(() => undefined);
  await settle();
  t.equal(house.desktop.approvals.pending.length, 1);
  house.desktop.setHolding(true, HUMAN);
  await t.rejects(house.desktop.perform(CLICK, AGENT), { code: "human_in_control" });
  t.equal(house.desktop.approvals.pending.length, 1);
  t.same(holders(house), ["h", "h"]);
});

t.test(
  "agents take turns by principal, and one that keeps something pressed keeps its turn for a while",
  async (t) => {
    const house = House.live();
    const order: string[] = [];
    const click = (actor: Actor, x: number): Promise<unknown> =>
      house.desktop.perform({ ...CLICK, x }, actor).then(() => order.push(`${actor.id}${x}`));
    await house.act(Promise.all([1, 2, 3].map((x) => click(AGENT, x)).concat(click(OTHER, 9))), 5000);
    t.same(order, ["a1", "a2", "b9", "a3"], "one call does not wait for a flood of another principal");
    await house.act(
      house.desktop.perform({ kind: "hold", keysyms: [SHIFT], isDown: true, name: "shift" }, AGENT),
    );
    const other = click(OTHER, 5);
    await house.act(click(AGENT, 6));
    t.same(order.slice(4), ["a6"], "the other waits while the key is down");
    await house.clock.live(10_500, 100);
    await other;
    t.same(order.slice(4), ["a6", "b5"]);
  },
);

t.test("twenty actions of one agent wait at most, so that others have their turn", async (t) => {
  const house = House.live();
  const abort = new AbortController();
  const works = Array.from({ length: 21 }, (_, i) =>
    house.desktop.perform(CLICK, AGENT, i === 10 ? { signal: abort.signal } : {}),
  );
  for (const work of works) work.catch(() => undefined);
  await settle();
  await t.rejects(house.desktop.perform(CLICK, AGENT), { code: "too_many", message: /20 of your actions/ });
  const other = house.desktop.perform(CLICK, OTHER);
  abort.abort();
  await t.rejects(
    Promise.all(works.slice(10, 11)).then(() => undefined),
    { code: "cancelled" },
  );
  const last = house.desktop.perform(CLICK, AGENT);
  await house.act(Promise.all([other, last]), 40_000);
});

t.test("a hundred actions of all agents wait at most", async (t) => {
  const house = House.live();
  const agents = Array.from(
    { length: 6 },
    (_, i): Actor => ({ kind: "agent", id: `a${i}`, name: `agent ${i}` }),
  );
  const works = Array.from({ length: 101 }, (_, i) => house.desktop.perform(CLICK, agents[i % 6] ?? AGENT));
  for (const work of works) work.catch(() => undefined);
  await settle();
  await t.rejects(house.desktop.perform(CLICK, OTHER), { code: "too_many", message: /100 actions/ });
  await house.act(Promise.all(works), 120_000);
});

t.test("a turn ends after 70 s, whatever the action takes, and what was done is told", async (t) => {
  const house = House.live();
  // By what is asked for at least this takes no time at all, and by what comes of it an hour.
  const slow = house.desktop.perform(typing("x".repeat(1000)), AGENT, {
    timing: { minDelayMs: 0, maxDelayMs: 10_000 },
  });
  const failed = t.rejects(slow, { code: "cancelled", message: /more than 70 s.*characters were typed/ });
  await settle();
  const next = house.desktop.perform(CLICK, OTHER);
  await house.act(next, 80_000);
  await failed;
});

t.test("two agents and a person for a minute: no action within another, no stuck key", async (t) => {
  const house = House.live();
  // What each actor sends is told apart by where or what it is: a's keys are a and b, b's are x and y.
  const actions = (keys: string, x: number): Action[] => [
    typing(keys.repeat(9)),
    { ...CLICK, x, holdKeysyms: [SHIFT], clicks: 2 },
    {
      kind: "drag",
      path: [
        { x, y: 10 },
        { x, y: 90 },
      ],
      button: "left",
      holdKeysyms: [],
      durationMs: 120,
    },
    { kind: "chords", chords: [[0xffe3, keys.charCodeAt(0)]], repeat: 2, holdMs: 30, names: [keys] },
    { kind: "scroll", x, y: 20, notchesX: 0, notchesY: 5, holdKeysyms: [] },
  ];
  const codes = new Map<string, number>();
  let isOver = false;
  const agent = async (actor: Actor, keys: string, x: number): Promise<void> => {
    const mine = actions(keys, x);
    for (let i = 0; !isOver; i++) {
      const action = mine[i % mine.length];
      if (action === undefined) throw new Error("no action");
      const timing = { minDelayMs: 5, maxDelayMs: 15 };
      const code = await house.desktop.perform(action, actor, { effectTimeoutMs: 20, timing }).then(
        () => "done",
        (error: { code?: string }) => error.code ?? "bug",
      );
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (code !== "done") {
        await new Promise<void>((resolve) => {
          house.clock.after(100, resolve);
        });
      }
    }
  };
  const agents = [agent(AGENT, "ab", 20), agent(OTHER, "xy", 180)];
  /** Where in `said` a person's hold began and ended. */
  const holds: { from: number; to: number }[] = [];
  for (let second = 0; second < 60; second++) {
    await house.clock.live(330 + ((second * 37) % 200));
    if (second % 3 === 0) {
      const from = house.link.said.length;
      await press(house, 100, 50);
      await house.clock.live(120);
      await house.desktop.perform({ kind: "pointer", x: 104, y: 50, buttons: 1 }, HUMAN);
      await release(house, 104, 50);
      await house.desktop.perform({ kind: "key", keysym: 0x6d, isDown: true, scancode: null }, HUMAN);
      await house.desktop.perform({ kind: "key", keysym: 0x6d, isDown: false, scancode: null }, HUMAN);
      holds.push({ from, to: house.link.said.length });
      house.desktop.setHolding(false, HUMAN);
    }
    house.link.paint(rect(second, 0, 1, 1), second);
    await house.clock.live(300);
  }
  isOver = true;
  await house.act(Promise.all(agents), 5000);
  const { said } = house.link;
  t.same(pressedAfter(said), [], "nothing stays down");
  const isHuman = (line: string): boolean => /10[04],50|6d$/.test(line);
  for (const { from, to } of holds) {
    const foreign = said.slice(from, to).filter((line) => !isHuman(line));
    // First what the agent held is let go, then only the person's own.
    const firstOwn = said.slice(from, to).findIndex(isHuman);
    t.ok(foreign.every((line) => line.startsWith("up") || line.endsWith(" 0")));
    t.notOk(said.slice(from + firstOwn, to).some((line) => !isHuman(line)));
    t.same(pressedAfter(said.slice(0, from + firstOwn)), [], "all was up when the person began");
  }
  // Whoever's key or button goes down, nobody else's does before all is up again.
  let owner = "";
  const down = new Set<string>();
  let interleaved = 0;
  for (const line of said) {
    const [word, what = "", buttons = "0"] = line.split(" ");
    const who = isHuman(line)
      ? "h"
      : /^(20,|61$|62$)/.test(what)
        ? "a"
        : /^(180,|78$|79$)/.test(what)
          ? "b"
          : "";
    if (down.size === 0) owner = "";
    if (owner !== "" && who !== "" && who !== owner) interleaved++;
    if (word === "down") down.add(what);
    if (word === "up") down.delete(what);
    if (word === "pointer" && buttons === "0") down.delete("button");
    if (word === "pointer" && buttons !== "0") down.add("button");
    if (who !== "") owner = who;
  }
  t.equal(interleaved, 0);
  t.ok((codes.get("done") ?? 0) > 100, `${codes.get("done")} were done`);
  t.ok((codes.get("human_in_control") ?? 0) >= 20, "people did interrupt");
  t.same([...codes.keys()].sort(), ["done", "human_in_control"]);
});
