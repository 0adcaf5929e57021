import t from "tap";
import { takeMark } from "../../../src/desktop/masks/mask-mark.ts";
import { FOLLOWING_LIMIT, MASK_LIMIT, Masks } from "../../../src/desktop/masks/masks.ts";
import type { Audience } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { EventRecorder } from "../../../src/recording/write/event-recorder.ts";
import { FakeClock, settle } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { AGENT, House, HUMAN } from "../house.ts";

const BOUNDS = rect(0, 0, 640, 480);
const ALL: readonly Audience[] = ["agent", "viewer", "recording"];
const spec = (area: Rect, audiences: readonly Audience[] = ALL, monitor: number | null = null) => ({
  ...{ rect: area, audiences, monitor, mark: null, label: null },
});

function open(first?: ConstructorParameters<typeof Masks>[1]) {
  const told: string[] = [];
  const masks = new Masks(
    {
      ...{
        now: () => new Date(0),
        clock: new FakeClock(),
        unmasked: () => null,
        latest: () => Promise.resolve(),
        onBug: (error) => t.fail(String(error)),
        nudgePointer: () => false,
      },
      changed: () => void told.push("changed"),
      moved: () => void told.push("moved"),
    },
    first,
  );
  masks.layOut(BOUNDS, [
    { id: 1, rect: rect(0, 0, 320, 480), flags: 0 },
    { id: 2, rect: rect(320, 0, 320, 480), flags: 0 },
  ]);
  return { masks, told };
}

function follow(masks: Masks, frame: Framebuffer, area: Rect): void {
  const painted = Region.of(area);
  masks.follow(frame, painted, { painted, copies: [] });
}

t.test("a mask hides from its audiences alone, within the desktop or its monitor", async (t) => {
  const { masks, told } = open();
  t.ok(masks.hiddenFrom("agent").isEmpty);
  masks.add(spec(rect(600, 10, 100, 20), ["agent"]));
  masks.add(spec(rect(300, 100, 50, 20), ["agent", "recording"], 2));
  masks.add(spec(rect(10, 10, 5, 5), ["viewer"], 7));
  t.same(masks.hiddenFrom("agent").rects, [rect(600, 10, 40, 20), rect(620, 100, 20, 20)]);
  t.same(masks.hiddenFrom("recording").rects, [rect(620, 100, 20, 20)]);
  t.ok(masks.hiddenFrom("viewer").isEmpty, "there is no such monitor");
  const before = masks.hiddenFrom("recording");
  masks.add(spec(rect(0, 0, 5, 5), ["agent"]));
  t.equal(masks.hiddenFrom("recording"), before, "the same object where it is the same");
  t.equal(told.length, 4);
  masks.layOut(rect(0, 0, 610, 480), []);
  t.same(masks.hiddenFrom("agent").rects.at(1), rect(600, 10, 10, 20), "cut by a smaller desktop");
});

t.test("masks of the configuration are not removed, and there is an end to their number", async (t) => {
  const first = { ...spec(rect(0, 0, 9, 9)), id: "configured-1", createdAt: "", isConfigured: true };
  const { masks } = open([first]);
  t.throws(() => masks.remove("configured-1"), { code: "permission_denied" });
  t.throws(() => masks.remove("none"), { code: "not_found" });
  for (let i = 1; i < MASK_LIMIT; i++) masks.add(spec(rect(i, 0, 5, 5)));
  t.throws(() => masks.add(spec(rect(0, 0, 5, 5))), { code: "too_many" });
  t.equal(masks.kept.length, MASK_LIMIT - 1, "the configuration keeps its own");
});

t.test("a mask follows what it was put to, in the same update, and stays where that is lost", async (t) => {
  const { masks, told } = open();
  const frame = new Framebuffer(BOUNDS.width, BOUNDS.height, { hasKernels: true });
  drawText(frame, rect(100, 100, 120, 40), 5);
  const mark = takeMark(frame, rect(100, 100, 120, 40));
  masks.add({ ...spec(rect(0, 50, 200, 20)), mark });
  t.same(masks.hiddenFrom("agent").rects, [rect(100, 150, 200, 20)], "before anything was looked through");
  follow(masks, frame, BOUNDS);
  t.equal(masks.all[0]?.state, "found");
  frame.copy(100, 100, rect(160, 220, 120, 40));
  frame.fill(rect(100, 100, 60, 40), 0x123456);
  follow(masks, frame, rect(100, 100, 180, 160));
  t.same(masks.hiddenFrom("agent").rects, [rect(160, 270, 200, 20)]);
  t.same(told.slice(-1), ["moved"]);
  frame.copy(160, 220, rect(400, 30, 120, 40));
  follow(masks, frame, rect(400, 30, 120, 40));
  t.same(
    masks.hiddenFrom("agent").rects,
    [rect(400, 80, 200, 20), rect(160, 270, 200, 20)],
    "what stands twice is hidden twice",
  );
  frame.fill(BOUNDS, 0);
  follow(masks, frame, BOUNDS);
  t.equal(masks.all[0]?.state, "lost");
  t.same(masks.hiddenFrom("agent").rects, [rect(400, 80, 200, 20), rect(160, 270, 200, 20)]);
  drawText(frame, rect(200, 300, 120, 40), 5);
  follow(masks, frame, rect(250, 310, 8, 8));
  t.same(masks.hiddenFrom("agent").rects, [rect(200, 350, 200, 20)], "damage that holds a part of it does");
});

t.test("what follows something stands once, and there are few of them", async (t) => {
  const { masks } = open();
  const frame = new Framebuffer(BOUNDS.width, BOUNDS.height, { hasKernels: true });
  t.throws(() => takeMark(frame, rect(10, 10, 20, 20)), { code: "invalid_parameters" }, "all alike");
  t.throws(() => takeMark(frame, rect(630, 10, 20, 20)), { code: "invalid_parameters" }, "outside");
  drawText(frame, rect(100, 100, 120, 40), 5);
  const mark = takeMark(frame, rect(100, 100, 120, 40));
  t.throws(() => masks.add({ ...spec(rect(0, 0, 5, 5), ALL, 1), mark }), { code: "invalid_parameters" });
  for (let i = 0; i < FOLLOWING_LIMIT; i++) masks.add({ ...spec(rect(0, 50, 20, 20)), mark });
  t.throws(() => masks.add({ ...spec(rect(0, 50, 20, 20)), mark }), { code: "too_many" });
});

t.test("a desktop hides at once, tells who did it, and obeys no agent", async (t) => {
  const { desktop, link, events } = House.live();
  link.paint(rect(0, 0, 200, 100), 0x0000ff);
  const asked = { ...spec(rect(20, 20, 40, 40), ["agent"]), label: "PIN" };
  t.throws(() => desktop.masks.add(asked, null, AGENT), { code: "permission_denied" });
  const generation = desktop.generation;
  const { id } = desktop.masks.add(asked, null, HUMAN);
  t.equal(desktop.generation, generation + 1);
  t.same(desktop.changedSince(generation)?.rects, [rect(20, 20, 40, 40)]);
  const at = (audience: Audience): number => {
    const { bytes, offset } = desktop
      .view(audience)
      .picture(false)
      .pixels(rect(30, 30, 1, 1));
    return bytes[offset] ?? -1;
  };
  t.same([at("agent"), at("viewer"), at("recording")], [0x40, 0xff, 0xff]);
  link.paint(rect(30, 30, 5, 5), 0x00ff00);
  t.same(desktop.changedSince(generation + 1)?.rects, [], "agents are not told what changes there");
  t.throws(() => desktop.masks.remove(id, AGENT), { code: "permission_denied" });
  desktop.masks.remove(id, HUMAN);
  t.equal(at("agent"), 0, "shown again as it is by now");
  const told = events.filter((event) => event.type === "masks");
  t.match(told, [
    { change: "added", mask: { label: "PIN" }, by: { id: "h" } },
    { change: "removed", mask: { id }, by: { id: "h" } },
  ]);
});

t.test("what an agent's action changes under a mask is not in its effect", async (t) => {
  const house = House.live();
  const { desktop, link } = house;
  desktop.masks.add(spec(rect(20, 20, 100, 60), ["agent"]), null, HUMAN);
  const click = { kind: "click", x: 10, y: 10, button: "left", clicks: 1, holdKeysyms: [] } as const;
  const performed = desktop.perform(click, AGENT);
  await settle();
  link.paint(rect(30, 30, 20, 20), 0x0000ff);
  const hiddenOnly = await house.act(performed);
  t.same(hiddenOnly.effect.changedRects, []);
  const again = desktop.perform(click, AGENT);
  await settle();
  link.paint(rect(100, 30, 60, 20), 0x00ffff);
  const both = await house.act(again);
  t.same(both.effect.changedRects, [rect(120, 30, 40, 20)], "only what can be seen of it");
});

t.test("a person's hand under a mask is told to no agent", async (t) => {
  const { desktop, clock } = House.live();
  const { EventSubscriptions } = await import("../../../src/desktop/events/event-subscriptions.ts");
  const hub = new EventSubscriptions(
    clock,
    () => {},
    () => Promise.reject(new Error("no pictures are taken")),
  );
  desktop.masks.add(spec(rect(20, 20, 100, 60), ["agent"]), null, HUMAN);
  const id = hub.subscribe("a", desktop, {
    ...{
      kinds: ["mouse_move", "mouse_click", "screen_change"],
      debounceMs: 0,
      region: null,
      text: null,
      minPixels: 1,
    },
  });
  hub.queue(id, "a").take(100);
  for (const [x, y] of [
    [50, 50],
    [150, 50],
  ] as const) {
    await desktop.perform({ kind: "pointer", x, y, buttons: 1 }, HUMAN);
    await desktop.perform({ kind: "pointer", x, y, buttons: 0 }, HUMAN);
  }
  const { events } = hub.queue(id, "a").take(100);
  t.ok(events.length > 0);
  for (const event of events) t.not("x" in event ? event.x : null, 50);
  hub.close();
});

t.test("what changed by itself before a mask was laid over it is not told", async (t) => {
  const house = House.live();
  const { desktop, link } = house;
  desktop.masks.add(spec(rect(0, 0, 8, 8), ["agent"]), null, HUMAN);
  const caret = rect(50, 40, 2, 16);
  const blink = async (): Promise<void> => {
    for (let i = 0; i < 6; i++) {
      link.paint(caret, i % 2 === 0 ? 0xffffff : 0);
      await house.clock.live(500);
    }
  };
  await blink();
  t.same(desktop.periodic().rects, [caret], "seen to blink");
  desktop.masks.add(spec(rect(20, 20, 100, 60), ["agent"]), null, HUMAN);
  t.same(desktop.periodic().rects, []);
  const click = { kind: "click", x: 10, y: 10, button: "left", clicks: 1, holdKeysyms: [] } as const;
  const { effect } = await house.act(desktop.perform(click, AGENT));
  t.match(effect, { restlessRects: [], periodicRects: [], changedRects: [] });
});

t.test("a recording is told what an action changed of what it shows", async (t) => {
  const click = { kind: "click", x: 10, y: 10, button: "left", clicks: 1, holdKeysyms: [] } as const;
  for (const hidesFrom of ["agent", "recording"] as const) {
    const house = House.live();
    const { desktop, link } = house;
    desktop.masks.add(spec(rect(20, 20, 100, 60), [hidesFrom]), null, HUMAN);
    const recorder = new EventRecorder(desktop, () => 0);
    const entries = async (paint: () => void) => {
      const performed = desktop.perform(click, AGENT);
      await settle();
      paint();
      const { effect } = await house.act(performed);
      const recorded = recorder.take().find(({ type }) => type === "action");
      return { effect, recorded };
    };
    const under = rect(32, 32, 16, 16);
    const one = await entries(() => link.paint(under, 0x0000ff));
    const seen = { changed: true, changedRects: [under] };
    const unseen = { changed: false, changedRects: [] };
    t.match(one.effect, hidesFrom === "agent" ? unseen : seen, `hidden from ${hidesFrom}`);
    t.match(one.recorded, hidesFrom === "agent" ? seen : unseen);
    const beside = rect(150, 16, 16, 16);
    const two = await entries(() => link.paint(beside, 0x00ffff));
    t.match(two.recorded, { changed: true, changedRects: [beside] });
    recorder.close();
  }
});
