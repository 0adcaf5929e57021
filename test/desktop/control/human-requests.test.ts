import t from "tap";
import type { Actor } from "../../../src/desktop/control/action.ts";
import type { HumanRequest } from "../../../src/desktop/control/requests/human-request.ts";
import { EventSubscription } from "../../../src/desktop/events/subscription.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { AGENT, CLICK, House, HUMAN } from "../house.ts";

const OTHER: Actor = { kind: "agent", id: "b", name: "other agent" };
/** A person who is no administrator. */
const BEN: Actor = { kind: "human", id: "ben", name: "Ben" };
const CAT: Actor = { kind: "human", id: "cat", name: "Cat" };
const ASKED = { kind: "login", reason: "log in to the bank", wantsPrivate: true } as const;
const DONE = { state: "done", answer: null } as const;
const EXPIRY_MS = 900_000;

const changes = ({ events }: House): string[] =>
  events.flatMap((event) => (event.type === "request" ? [event.change] : []));

const find = (house: House, id: string): HumanRequest | undefined =>
  house.desktop.requests.of(AGENT.id).find((request) => request.id === id);

t.test("an agent has one request open on a desktop, and is told its id when it asks again", async (t) => {
  const { requests } = House.live().desktop;
  const first = requests.ask(ASKED, AGENT);
  t.throws(() => requests.ask(ASKED, AGENT), { code: "too_many", message: new RegExp(first.id) });
  t.ok(requests.ask(ASKED, OTHER), "another agent's is its own");
  requests.end(first.id, DONE, HUMAN);
  t.not(requests.ask(ASKED, AGENT).id, first.id, "one that is over makes room");
});

t.test("there are so many on a desktop at most", async (t) => {
  const { requests } = House.live().desktop;
  for (let i = 0; i < 20; i++) requests.ask(ASKED, { ...AGENT, id: `agent ${i}` });
  t.throws(() => requests.ask(ASKED, AGENT), { code: "too_many" });
});

t.test("a reason is bounded, and shown without characters that hide or turn words around", async (t) => {
  const { requests } = House.live().desktop;
  t.throws(() => requests.ask({ ...ASKED, reason: "x".repeat(501) }, AGENT), { code: "invalid_parameters" });
  t.throws(() => requests.ask({ ...ASKED, reason: "\u202e\u200b \n" }, AGENT), {
    code: "invalid_parameters",
  });
  const { reason, actor } = requests.ask(
    { ...ASKED, reason: "log\u202ein\nnow" },
    { ...AGENT, name: "a\u2066gent" },
  );
  t.same([reason, actor.name], ["login now", "agent"]);
});

t.test("a person who takes it has the input, and giving it back by Done ends both", async (t) => {
  const house = House.live();
  const { desktop } = house;
  const { id } = desktop.requests.ask(ASKED, AGENT);
  desktop.requests.take(id, false, BEN);
  t.match(desktop.holder, { actor: { id: "ben" }, isDeclared: true });
  await t.rejects(house.act(desktop.perform(CLICK, AGENT)), { code: "human_in_control" });
  desktop.requests.end(id, { state: "done", answer: "123 456" }, BEN);
  t.equal(desktop.holder, null);
  t.match(find(house, id), { state: "done", answer: "123 456", endedBy: { id: "ben" }, takenBy: null });
  t.ok(await house.act(desktop.perform(CLICK, AGENT)));
  t.same(changes(house), ["asked", "taken", "done"]);
});

t.test("no agent takes, answers or declines a request: not its own and not another's", async (t) => {
  const { desktop } = House.live();
  const { id } = desktop.requests.ask(ASKED, AGENT);
  for (const agent of [AGENT, OTHER]) {
    t.throws(() => desktop.requests.take(id, false, agent), { code: "permission_denied" });
    t.throws(() => desktop.requests.end(id, DONE, agent), { code: "permission_denied" });
    t.throws(() => desktop.requests.end(id, { state: "declined", answer: null }, agent), {
      code: "permission_denied",
    });
  }
  t.equal(desktop.requests.open[0]?.state, "open");
  t.same(desktop.requests.of(OTHER.id), [], "another's is not there for it");
});

t.test("while a person is at it nobody else takes or ends it but an administrator", async (t) => {
  const { requests } = House.live().desktop;
  const { id } = requests.ask(ASKED, AGENT);
  requests.take(id, true, BEN);
  t.throws(() => requests.take(id, false, CAT), { code: "permission_denied", message: /Ben/ });
  t.throws(() => requests.end(id, DONE, CAT), { code: "permission_denied" });
  t.equal(requests.isPrivate, true);
  t.match(requests.end(id, DONE, HUMAN), { state: "done", endedBy: { id: "h" } });
  t.throws(() => requests.end(id, DONE, HUMAN), { code: "not_found" }, "it is ended once");
});

t.test("an answer is bounded, and what was too long ends nothing", async (t) => {
  const { requests } = House.live().desktop;
  const { id } = requests.ask(ASKED, AGENT);
  t.throws(() => requests.end(id, { state: "done", answer: "x".repeat(2001) }, HUMAN), {
    code: "invalid_parameters",
  });
  t.equal(requests.open.length, 1);
});

t.test("in a private time agents are shown nothing by any way, recordings are one grey", async (t) => {
  const house = House.live();
  const { desktop } = house;
  const held = desktop.view("agent");
  const running = held.snapshot({ stableMs: 500 });
  running.catch(() => undefined);
  const { id } = desktop.requests.ask(ASKED, AGENT);
  const before = desktop.generation;
  desktop.requests.take(id, true, BEN);
  t.throws(() => desktop.view("agent"), { code: "private_time" });
  await t.rejects(held.snapshot(), { code: "private_time" }, "by a view that it had before");
  await t.rejects(house.act(running), { code: "private_time" }, "by a picture that was under way");
  await t.rejects(house.act(desktop.perform(CLICK, AGENT)), { code: "private_time" });
  await t.rejects(house.act(desktop.perform({ kind: "read_clipboard" }, AGENT)), { code: "private_time" });
  const whole = { x: 0, y: 0, ...desktop.size };
  for (const audience of ["agent", "recording"] as const) {
    t.same(desktop.hiddenFrom(audience), [whole], audience);
  }
  t.same(desktop.hiddenFrom("viewer"), []);
  t.same(colours(held.picture(false)), [0x404040], "what is still watched is one colour");
  t.same(colours(desktop.view("recording").picture(false)), [0x404040]);
  t.same(desktop.masks.all, [], "it is no mask that somebody could remove");

  house.link.paint(rect(0, 0, 50, 50), 0x00ff00);
  const shown = desktop.generation;
  house.link.paint(rect(20, 20, 50, 50), 0x0000ff);
  t.same(desktop.changedSince(shown)?.rects, [], "what changes meanwhile is not told");
  desktop.requests.end(id, DONE, BEN);
  t.same(
    desktop.changedSince(before)?.rects,
    [whole],
    "afterwards all of it is as if it had just been painted",
  );
  t.ok(desktop.view("agent"));
  t.same(desktop.hiddenFrom("agent"), []);
});

t.test("keys, clicks and copied texts of a private time are told to no subscriber", async (t) => {
  const house = House.live();
  const { desktop } = house;
  const kinds = ["key_press", "mouse_click", "mouse_move", "clipboard"] as const;
  const options = { kinds, debounceMs: 0, region: null, minPixels: 0, text: null, principalId: "a" };
  const ear = new EventSubscription(desktop, options, house.clock);
  t.teardown(() => ear.close());
  const { id } = desktop.requests.ask(ASKED, AGENT);
  desktop.requests.take(id, true, BEN);
  await house.act(desktop.perform({ kind: "key", keysym: 0x61, isDown: true, scancode: null }, BEN), 5000);
  await house.act(desktop.perform({ kind: "key", keysym: 0x61, isDown: false, scancode: null }, BEN), 5000);
  await house.act(desktop.perform(CLICK, BEN), 5000);
  house.link.events.clipboard("hunter2");
  t.same(ear.queue.take(10).events, []);
  desktop.requests.end(id, DONE, BEN);
  await house.act(desktop.perform(CLICK, BEN), 5000);
  t.match(ear.queue.take(10).events, [{ type: "mouse_click" }], "afterwards they are");
});

t.test("a private time outlasts an idle hand and a lost viewer, not a hand that gives back", async (t) => {
  const house = House.live();
  const { desktop } = house;
  const { id } = desktop.requests.ask(ASKED, AGENT);
  const leave = desktop.attachViewer(BEN);
  desktop.requests.take(id, true, BEN);
  leave();
  house.clock.advance(60_000);
  t.equal(desktop.holder, null, "the input is free");
  t.equal(desktop.requests.isPrivate, true);
  t.throws(() => desktop.view("agent"), { code: "private_time" });
  for (const other of [CAT, HUMAN]) {
    desktop.setHolding(true, other);
    desktop.setHolding(false, other);
    t.equal(desktop.requests.isPrivate, true, `${other.name} gives back their own alone`);
  }
  desktop.setHolding(false, BEN);
  t.match(find(house, id), { state: "open", isPrivate: false });
  t.ok(desktop.view("agent"));
});

t.test("neither a stop nor a lower mode of an agent ends a private time", async (t) => {
  const { desktop } = House.live();
  const { id } = desktop.requests.ask(ASKED, AGENT);
  desktop.requests.take(id, true, BEN);
  desktop.stop(AGENT);
  desktop.setMode("passive", AGENT);
  t.throws(() => desktop.setHolding(false, AGENT), { code: "permission_denied" });
  t.equal(desktop.requests.isPrivate, true);
});

t.test("what is taken without being private waits again when the hand rests", async (t) => {
  const house = House.live();
  const { desktop } = house;
  const { id } = desktop.requests.ask(ASKED, AGENT);
  desktop.requests.take(id, false, BEN);
  house.clock.advance(60_000);
  t.equal(find(house, id)?.state, "open");
  t.same(changes(house), ["asked", "taken", "returned"]);
});

t.test("it expires by itself, but not under the hands of who is at it", async (t) => {
  const house = House.live("autopilot", { humanIdleMs: 0 });
  const { desktop } = house;
  const { id } = desktop.requests.ask(ASKED, AGENT);
  desktop.requests.take(id, true, BEN);
  house.clock.advance(EXPIRY_MS + 1);
  t.equal(desktop.requests.isPrivate, true, "who is at it still has it");
  t.same(changes(house), ["asked", "taken", "extended"]);
  const leave = desktop.attachViewer(BEN);
  leave();
  house.clock.advance(EXPIRY_MS + 1);
  t.match(find(house, id), { state: "expired", answer: null, endedBy: null });
  t.equal(desktop.requests.isPrivate, false);
  const next = desktop.requests.ask(ASKED, AGENT);
  house.clock.advance(EXPIRY_MS);
  t.equal(find(house, next.id)?.state, "expired", "nobody came");
  house.clock.advance(3_600_001);
  t.same(desktop.requests.of(AGENT.id), [], "what is over is forgotten after an hour");
});

t.test("after a restart it is there again, and private still", async (t) => {
  const before = House.live();
  const { id } = before.desktop.requests.ask(ASKED, AGENT);
  before.desktop.requests.take(id, true, BEN);
  const after = House.live("autopilot", { requests: before.desktop.requests.open });
  t.throws(() => after.desktop.view("agent"), { code: "private_time" });
  t.same(colours(after.desktop.view("recording").picture(false)), [0x404040], "from the first picture on");
  after.desktop.requests.end(id, DONE, BEN);
  t.equal(find(after, id)?.state, "done");
  t.ok(after.desktop.view("agent"));
});

t.test("who asked hears of the end and of the answer, also by a subscription that came later", async (t) => {
  const house = House.live();
  const { desktop } = house;
  const listen = (principalId: string): EventSubscription => {
    const options = {
      kinds: ["request_ended"],
      debounceMs: 0,
      region: null,
      minPixels: 0,
      text: null,
    } as const;
    const ear = new EventSubscription(desktop, { ...options, principalId }, house.clock);
    t.teardown(() => ear.close());
    return ear;
  };
  const [own, other] = [listen(AGENT.id), listen(OTHER.id)];
  const { id } = desktop.requests.ask(ASKED, AGENT);
  desktop.requests.take(id, true, BEN);
  desktop.requests.end(id, { state: "declined", answer: "not today" }, BEN);
  const told = [{ type: "request_ended", requestId: id, state: "declined", answer: "not today" }];
  t.match(own.queue.take(10).events, told);
  t.match(listen(AGENT.id).queue.take(10).events, told);
  t.same(other.queue.take(10).events, []);
  t.same(listen(OTHER.id).queue.take(10).events, []);
});

function colours(picture: {
  readonly width: number;
  readonly height: number;
  pixels(rect: { x: number; y: number; width: number; height: number }): {
    readonly bytes: Uint8Array;
    readonly offset: number;
    readonly strideBytes: number;
  };
}): number[] {
  const { width, height } = picture;
  const { bytes, offset, strideBytes } = picture.pixels({ x: 0, y: 0, width, height });
  const found = new Set<number>();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = offset + y * strideBytes + 4 * x;
      found.add(((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0));
    }
  }
  return [...found];
}
