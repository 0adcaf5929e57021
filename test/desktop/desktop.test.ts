import sharp from "sharp";
import t from "tap";
import { LinkError } from "../../src/desktop/error.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { settle } from "../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN, typing } from "./house.ts";

t.test("before the first picture there is none, and the reason is said", async (t) => {
  const house = new House();
  t.throws(() => house.desktop.view("agent"), { code: "target_down" });
  const ready = house.desktop.whenReady(3000);
  house.link.drop(new LinkError("unreachable", "nothing listens on that port"));
  house.clock.advance(4000);
  await t.rejects(ready, { code: "target_down", message: /nothing listens/ });
});

t.test("a desktop is live when every pixel came once, not before", async (t) => {
  const house = new House();
  house.link.events.ready({ name: "x", screens: [] });
  house.link.paint(rect(0, 0, 200, 60), 0x111111);
  t.match(house.desktop.state, { kind: "connecting", received: 0.6 });
  t.same(house.desktop.size, { width: 0, height: 0 });
  t.throws(() => house.desktop.view("agent"), { message: /60 % of its first picture is there/ });
  house.link.paint(rect(0, 60, 200, 40), 0x111111);
  t.equal(house.desktop.state.kind, "live");
  t.same(house.desktop.size, { width: 200, height: 100 });
});

t.test(
  "the way of a slow first picture is told in whole percents, and only before it is there",
  async (t) => {
    const house = new House();
    house.link.events.ready({ name: "x", screens: [] });
    const told = () => house.events.filter(({ type }) => type === "state").length;
    const before = told();
    for (const part of [0.001, 0.201, 0.202, 0.209, 0.34]) house.link.events.progress?.(part);
    t.match(house.desktop.state, { kind: "connecting", received: 0.34 });
    t.equal(told(), before + 2);
    house.link.goLive();
    house.link.events.progress?.(0.5);
    t.match(house.desktop.state, { kind: "live" });
  },
);

t.test("only what changed counts: equal pixels make no damage and no generation", async (t) => {
  const house = House.live();
  const before = house.desktop.generation;
  house.link.paint(rect(0, 0, 200, 100), 0x222222);
  t.equal(house.desktop.generation, before);
  house.link.paint(rect(70, 10, 4, 4), 0x00ff00);
  t.equal(house.desktop.generation, before + 1);
  const last = house.events.filter((event) => event.type === "update").at(-1);
  t.same(last?.damage.rects, [rect(70, 10, 4, 4)]);
});

t.test("each watcher has its own damage, merged while it waits", async (t) => {
  const house = House.live();
  const view = house.desktop.view("viewer");
  let calls = 0;
  const quick = view.watch(() => calls++);
  const slow = view.watch(() => undefined);
  t.same(quick.take().painted.bounds, rect(0, 0, 200, 100));
  house.link.paint(rect(0, 0, 10, 10), 1);
  t.same(quick.take().painted.rects, [rect(0, 0, 10, 10)]);
  house.link.paint(rect(50, 50, 10, 10), 2);
  t.same(quick.take().painted.rects, [rect(50, 50, 10, 10)]);
  t.equal(calls, 2);
  t.same(slow.take().painted.bounds, rect(0, 0, 200, 100));
  quick.putBack(house.desktop.scene.coverage);
  t.ok(quick.pending.isEmpty);
});

t.test(
  "a move is told as a move to who has seen all, as pixels to who has not or sees overlays there",
  async (t) => {
    const house = House.live();
    const view = house.desktop.view("viewer");
    const plain = view.watch(() => undefined);
    const behind = view.watch(() => undefined);
    const drawn = view.watch(() => undefined, { withOverlays: true });
    const spec = {
      kind: "box",
      x: 2,
      y: 2,
      width: 20,
      height: 20,
      color: "#ff0000",
      opacity: 0.5,
      label: null,
      temporaryMs: null,
      clickThrough: true,
      monitorIndex: 0,
    };
    house.desktop.scene.add(spec, "a", rect(0, 0, 200, 100));
    house.link.paint(rect(0, 0, 5, 5), 0x0000ff);
    plain.take();
    drawn.take();
    // Links tell of no move that came after something was painted: it may have moved that.
    const move = { fromX: 0, fromY: 0, to: rect(100, 50, 5, 5) };
    house.link.framebuffer.copy(0, 0, move.to);
    house.link.paint(rect(0, 0, 5, 5), 0x00ff00, [move]);
    t.same(plain.take().copies, [move]);
    t.same(behind.take().copies, []);
    const seen = drawn.take();
    t.same(seen.copies, []);
    t.ok(seen.painted.overlaps(move.to));
  },
);

t.test("watched while someone looks or an agent used it within 30 s", async (t) => {
  const house = House.live();
  t.equal(house.link.isWatched, false);
  const watcher = house.desktop.view("viewer").watch(() => undefined);
  t.equal(house.link.isWatched, true);
  watcher.close();
  t.equal(house.link.isWatched, false);
  await house.desktop.view("agent").snapshot();
  t.ok(house.link.said.includes("latest"), "the first look asks for what was not sent yet");
  t.equal(house.link.isWatched, true);
  house.clock.advance(31_000);
  t.equal(house.link.isWatched, false);
});

t.test("a person's look at what nobody watches asks the target, as often as every 5 s", async (t) => {
  const house = House.live();
  const asked = (): number => house.link.said.filter((line) => line === "latest").length;
  house.link.answers = false;
  const shot = house.desktop.view("viewer").snapshot();
  t.equal(asked(), 1);
  house.link.paint(rect(0, 0, 200, 100), 0x00ff00);
  house.link.pass();
  t.equal((await shot).generation, house.desktop.generation, "of what the target shows now");
  t.equal(house.link.isWatched, false, "and keeps nothing watched");
  house.link.answers = true;
  await house.desktop.view("viewer").snapshot();
  t.equal(asked(), 1, "a moment ago");
  house.clock.advance(5000);
  await house.desktop.refreshed();
  t.equal(asked(), 2);
  const watcher = house.desktop.view("viewer").watch(() => undefined);
  await house.desktop.refreshed();
  house.clock.advance(60_000);
  const before = asked();
  await house.desktop.refreshed();
  t.equal(asked(), before, "what is watched is up to date");
  watcher.close();
});

t.test(
  "who only notes what changes keeps nothing watched, and is caught up with when somebody looks",
  async (t) => {
    const house = House.live();
    const view = house.desktop.view("agent");
    const noted = view.watch(() => undefined, { isPassive: true });
    await view.snapshot();
    house.clock.advance(31_000);
    t.equal(house.link.isWatched, false, "though it is noted what changes");
    noted.take();
    house.link.paint(rect(3, 3, 2, 2), 0x0000ff);
    t.same(noted.take().painted.rects, [rect(3, 3, 2, 2)]);

    house.link.said.length = 0;
    house.link.answers = false;
    // The second look is as late as the first: what was painted meanwhile is not here yet.
    house.desktop.view("agent");
    const shots = [house.desktop.view("agent").snapshot(), view.snapshot()];
    t.same(house.link.said, ["latest"], "asked once");
    house.link.paint(rect(0, 0, 200, 100), 0x00ff00);
    house.link.pass();
    for (const shot of shots) {
      t.same(
        [
          ...(await sharp((await shot).bytes)
            .raw()
            .toBuffer()),
        ].slice(0, 3),
        [0, 0xff, 0],
      );
    }
    noted.close();
  },
);

t.test("snapshots are exact, cropped, scaled, stale when the target is gone, and never torn", async (t) => {
  const house = House.live();
  house.link.paint(rect(100, 0, 100, 100), 0x0000ff);
  const crop = await house.desktop.view("agent").snapshot({ region: rect(99, 0, 2, 1) });
  const { data } = await sharp(crop.bytes).raw().toBuffer({ resolveWithObject: true });
  t.same([...data], [0x22, 0x22, 0x22, 255, 0, 0]);
  const small = await house.desktop.view("agent").snapshot({ scale: 0.5, format: "jpeg" });
  t.match(await sharp(small.bytes).metadata(), { width: 100, height: 50, format: "jpeg" });
  // Half an update is in the decoder's memory only.
  house.link.framebuffer.fill(rect(0, 0, 50, 50), 0x00ff00);
  house.link.drop();
  const stale = await house.desktop.view("agent").snapshot({ region: rect(0, 0, 1, 1) });
  t.equal(stale.isStale, true);
  t.same([...(await sharp(stale.bytes).raw().toBuffer())], [0x22, 0x22, 0x22]);
  await t.rejects(house.desktop.view("agent").snapshot({ region: rect(190, 0, 20, 1) }), {
    code: "out_of_bounds",
  });
});

t.test("wait for stability: from the call on, restarted by changes, at most 10 s", async (t) => {
  const house = House.live();
  const calm = house.desktop.view("viewer").snapshot({ stableMs: 100 });
  await house.clock.live(60);
  house.link.paint(rect(0, 0, 1, 1), 1);
  await house.clock.live(150);
  t.equal((await calm).isStable, true);
  const restless = house.desktop.view("viewer").snapshot({ stableMs: 100 });
  for (let i = 0; i < 210; i++) {
    house.link.paint(rect(0, 0, 1, 1), i);
    await house.clock.live(50, 50);
  }
  t.equal((await restless).isStable, false);
});

t.test("a click moves, presses and releases, and says what it changed", async (t) => {
  const house = House.live();
  const work = house.desktop.perform(CLICK, AGENT);
  await settle();
  t.same(house.link.said, ["pointer 10,20 0", "pointer 10,20 1", "pointer 10,20 0"]);
  house.link.paint(rect(5, 5, 3, 3), 0xff);
  const { effect, position } = await house.act(work);
  t.same(position, { x: 10, y: 20 });
  t.match(effect, { changed: true, changedRects: [rect(5, 5, 3, 3)] });
  t.equal(effect.generationAfter, effect.generationBefore + 1);
});

t.test("no change is claimed only when the target had its say", async (t) => {
  const house = House.live();
  const quiet = await house.act(house.desktop.perform(CLICK, AGENT));
  t.equal(quiet.effect.changed, false);
  house.link.answers = false;
  const unknown = await house.act(house.desktop.perform(CLICK, AGENT));
  t.equal(unknown.effect.changed, null);
  const unwaited = await house.act(house.desktop.perform(CLICK, AGENT, { effectTimeoutMs: 0 }), 2000);
  t.equal(unwaited.effect.changed, null);
});

t.test("a stop ends the wait for an effect, and what was done is told as done", async (t) => {
  const house = House.live();
  const work = house.desktop.perform(CLICK, AGENT, { effectTimeoutMs: 10_000 });
  await house.clock.live(1000);
  house.desktop.stop(HUMAN);
  const startMs = house.clock.nowMs();
  const { effect } = await work;
  t.equal(effect.changed, false);
  t.equal(house.clock.nowMs(), startMs);
});

t.test("a desktop says since when it has its size", async (t) => {
  const house = House.live();
  const since = house.desktop.sizedSince();
  house.link.paint(rect(0, 0, 5, 5), 1);
  t.equal(house.desktop.sizedSince(), since);
  for (const width of [220, 200]) {
    house.link.framebuffer.resize(width, 100);
    house.link.events.resize([]);
  }
  t.ok(house.desktop.sizedSince() > since);
  t.equal(house.desktop.sizedSince(), house.desktop.generation);
});

t.test("what blinks by itself is no effect", async (t) => {
  const house = House.live();
  for (let i = 0; i < 5; i++) {
    house.link.paint(rect(50, 50, 2, 10), i + 1);
    house.clock.advance(500);
  }
  const work = house.desktop.perform(CLICK, AGENT);
  await settle();
  house.link.paint(rect(50, 50, 2, 10), 77);
  t.equal((await house.act(work)).effect.changed, false);
});

t.test("clicks outside the desktop are refused with its size", async (t) => {
  const house = House.live();
  const work = house.desktop.perform({ ...CLICK, x: 200 }, AGENT);
  await t.rejects(work, { code: "out_of_bounds", message: /199,99/ });
  t.same(house.link.said, []);
});

t.test("typing sends the real keysym of each character and reports what no key makes", async (t) => {
  const house = House.live();
  const { notTyped } = await house.act(house.desktop.perform(typing("Aß€\u0001\n"), AGENT));
  t.same(notTyped, ["\u0001"]);
  t.same(
    house.link.said.filter((line) => line.startsWith("down")),
    ["down 41", "down df", "down 10020ac", "down ff0d"],
  );
  t.equal(house.link.said.filter((line) => line.startsWith("up")).length, 4);
});

t.test(
  "passive denies, assist asks, composing lets text through, autopilot all; people are not asked",
  async (t) => {
    const passive = House.live("passive");
    await t.rejects(passive.desktop.perform(CLICK, AGENT), { code: "permission_denied" });
    t.same(passive.link.said, []);
    await passive.act(passive.desktop.perform(CLICK, HUMAN));
    t.equal(passive.link.said.length, 3);
    const composing = House.live("composing");
    await composing.act(composing.desktop.perform(typing("a"), AGENT));
    t.same(composing.desktop.approvals.pending, []);
    const asked = composing.desktop.perform(CLICK, AGENT);
    await settle();
    t.equal(composing.desktop.approvals.pending.length, 1);
    composing.desktop.approvals.decide(composing.desktop.approvals.pending[0]?.id ?? "", false, HUMAN);
    await t.rejects(asked, { code: "denied_by_human" });
  },
);

t.test("an approval: the card's facts, granted once, then done and marked as confirmed", async (t) => {
  const house = House.live("assist");
  const work = house.desktop.perform(CLICK, AGENT, { intent: "open the menu" });
  await settle();
  const [card] = house.desktop.approvals.pending;
  t.match(card, {
    summary: "Click left at 10,20",
    actor: AGENT,
    intent: "open the menu",
    point: { x: 10, y: 20 },
    crop: rect(0, 0, 200, 100),
    state: "pending",
  });
  t.same(house.link.said, [], "nothing is sent before");
  house.desktop.approvals.decide(card?.id ?? "", true, HUMAN);
  t.equal((await house.act(work)).wasConfirmed, true);
  t.throws(() => house.desktop.approvals.decide(card?.id ?? "", true, HUMAN), { code: "not_found" });
  t.match(house.desktop.actions.at(-1), { outcome: "done", wasConfirmed: true, intent: "open the menu" });
});

t.test("silence is no, and a cancelled call voids its question", async (t) => {
  const house = House.live("assist");
  const silent = house.desktop.perform(CLICK, AGENT);
  await settle();
  house.clock.advance(45_000);
  await t.rejects(silent, { code: "approval_expired" });
  const abort = new AbortController();
  const cancelled = house.desktop.perform(CLICK, AGENT, { signal: abort.signal });
  await settle();
  abort.abort();
  await t.rejects(cancelled, { code: "cancelled" });
  t.same(house.desktop.approvals.pending, []);
  t.same(house.link.said, []);
});

t.test("stop releases what is held, ends what runs and waits, and only a human resumes", async (t) => {
  const house = House.live();
  await house.desktop.perform({ kind: "key", keysym: 0xffe1, isDown: true, scancode: null }, HUMAN);
  await house.desktop.perform({ kind: "pointer", x: 3, y: 4, buttons: 1 }, HUMAN);
  house.desktop.stop(HUMAN);
  t.ok(house.link.said.includes("up ffe1"));
  t.ok(house.link.said.includes("pointer 3,4 0"));
  house.desktop.resume(HUMAN);
  house.desktop.setHolding(false, HUMAN);
  house.link.answers = false;
  const long = house.desktop.perform(typing("abc".repeat(2000)), AGENT);
  const waiting = house.desktop.perform(CLICK, AGENT);
  waiting.catch(() => undefined);
  await house.clock.live(20);
  house.desktop.stop(HUMAN);
  const sent = house.link.said.length;
  await t.rejects(house.act(long), { code: "stopped" });
  await t.rejects(house.act(waiting), { code: "stopped" });
  t.equal(house.link.said.length, sent, "nothing is sent after stop returned");
  house.link.answers = true;
  await t.rejects(house.desktop.perform(CLICK, AGENT), { code: "stopped" });
  t.throws(() => house.desktop.resume(AGENT), { code: "permission_denied" });
  house.desktop.resume(HUMAN);
  await house.act(house.desktop.perform(CLICK, AGENT));
});

t.test("agents' actions take turns", async (t) => {
  const house = House.live();
  const first = house.desktop.perform(typing("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), AGENT);
  const second = house.desktop.perform(typing("b"), { ...AGENT, id: "other" });
  await house.act(Promise.all([first, second]), 3000);
  const keys = house.link.said.filter((line) => line.startsWith("down"));
  t.equal(keys.indexOf("down 62"), keys.length - 1);
});

t.test("a lost target: growing pauses, the last picture kept, no input meanwhile, live again", async (t) => {
  const house = House.live();
  house.link.drop();
  t.match(house.desktop.state, { kind: "reconnecting", attempt: 1 });
  await t.rejects(house.desktop.perform(CLICK, AGENT), { code: "target_down" });
  t.same(house.desktop.size, { width: 200, height: 100 });
  house.clock.advance(500);
  t.equal(house.links.length, 2);
  house.link.drop();
  house.clock.advance(999);
  t.equal(house.links.length, 2);
  house.clock.advance(1);
  t.equal(house.links.length, 3);
  house.link.goLive();
  t.equal(house.desktop.state.kind, "live");
  t.equal((await house.desktop.view("viewer").snapshot()).isStale, false);
});

t.test("a wrong password is not tried again by itself", async (t) => {
  const house = new House();
  house.link.drop(new LinkError("auth_failed", "the server refused the password", { isFinal: true }));
  house.clock.advance(600_000);
  t.equal(house.links.length, 1);
  t.equal(house.desktop.state.kind, "failed");
  await t.rejects(house.desktop.whenReady(10), { code: "auth_failed" });
  house.desktop.reconnect();
  t.equal(house.links.length, 2);
});

t.test("a stalled target is said, and back when it speaks", async (t) => {
  const house = House.live();
  house.link.events.stalled(true);
  t.equal(house.desktop.state.kind, "stalled");
  house.link.events.stalled(false);
  t.equal(house.desktop.state.kind, "live");
});

t.test("a resize keeps the common part, tells watchers all, and is told once", async (t) => {
  const house = House.live();
  const watcher = house.desktop.view("viewer").watch(() => undefined);
  watcher.take();
  house.link.framebuffer.resize(300, 100);
  house.link.events.resize([{ id: 1, rect: rect(0, 0, 300, 100), flags: 0 }]);
  t.same(house.desktop.size, { width: 300, height: 100 });
  t.same(watcher.take().painted.bounds, rect(0, 0, 300, 100));
  t.equal(house.events.filter((event) => event.type === "resize").length, 2);
});

t.test("what an agent gives as its reason is kept without the text that it types", async (t) => {
  const house = House.live();
  for (const [text, intent, kept] of [
    ["hunter2", "log in with hunter2", "log in with [text]"],
    ["ann\thunter2\n", "sign in as ann, password hunter2", "sign in as ann, password [text]"],
    ["123", "enter the PIN 123 of 12345", "enter the PIN [text] of 12345"],
    ["a", "write a letter", "write [text] letter"],
    ["hunter2", "log in", "log in"],
  ] as const) {
    await house.act(house.desktop.perform(typing(text), AGENT, { intent }));
    t.equal(house.desktop.actions.at(-1)?.intent, kept);
  }
  await house.act(house.desktop.perform(CLICK, AGENT, { intent: "open the menu" }));
  t.equal(house.desktop.actions.at(-1)?.intent, "open the menu");
});

t.test("records hold counts, never the text", async (t) => {
  const house = House.live();
  await house.act(house.desktop.perform(typing("hunter2"), AGENT));
  await house.act(house.desktop.perform({ kind: "write_clipboard", text: "hunter2" }, AGENT));
  t.notMatch(JSON.stringify(house.desktop.actions), /hunter2/);
  t.match(
    house.desktop.actions.map(({ summary }) => summary),
    ["Type 7 characters", "Set the clipboard to 7 characters"],
  );
});

t.test("a listener's fault disturbs nobody else", async (t) => {
  const house = new House();
  house.desktop.on(() => {
    throw new Error("bug");
  });
  let heard = 0;
  house.desktop.on(() => heard++);
  house.link.goLive();
  t.ok(heard > 0);
  t.ok(house.bugs.length > 0);
});
