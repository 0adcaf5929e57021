import t from "tap";
import { Scene } from "../../../src/compositor/scene.ts";
import { ANCHOR_LIMIT, ANCHOR_LIMIT_IN_ALL, Anchors } from "../../../src/desktop/anchors/anchors.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock } from "../../fake-clock.ts";
import { addNoise, drawText } from "../../framebuffer/frames.ts";

const BOX = {
  kind: "box",
  width: 40,
  height: 20,
  color: "#ff0000",
  opacity: 0.5,
  label: null,
  temporaryMs: null,
  clickThrough: true,
  monitorIndex: 0,
} as const;

/** A page of text, taller than the screen that shows a part of it. */
class Page {
  readonly whole: Framebuffer;
  readonly screen: Framebuffer;

  constructor(width: number, height: number, seed: number) {
    this.whole = new Framebuffer(width, height * 3);
    drawText(this.whole, this.whole.rect, seed);
    this.screen = new Framebuffer(width, height, { hasKernels: true });
    this.show(0);
  }

  show(top: number): void {
    const { width } = this.screen;
    this.screen.words.set(this.whole.words.subarray(top * width, (top + this.screen.height) * width));
  }
}

function setUp(frame: Framebuffer, isExact = true) {
  const clock = new FakeClock();
  const scene = new Scene(clock);
  const anchors = new Anchors(scene, {
    clock,
    shown: { frame },
    isExact: () => isExact,
    onBug: (error) => {
      throw error;
    },
  });
  const all = (copies: readonly CopyMove[] = []): void => anchors.update(Region.of(frame.rect), copies);
  return { clock, scene, anchors, all };
}

t.test("an anchor follows a scrolled page to wherever it is, and is lost where it is not", async (t) => {
  let found = 0;
  let gone = 0;
  let wrong = 0;
  for (let seed = 1; seed <= 12; seed++) {
    for (const noise of [0, 6]) {
      const page = new Page(640, 360, seed);
      const at = rect(50 + seed * 13, 150, 96, 48);
      page.show(200);
      const { anchors, all, clock } = setUp(page.screen, noise === 0);
      const { id } = anchors.of("agent").add(at);
      for (const top of [203, 260, 349, 120, 51, 0, 700, 351, 199]) {
        page.show(top);
        if (noise > 0) addNoise(page.screen, noise, seed + top);
        all();
        clock.advance(1000);
        const y = at.y + 200 - top;
        const isThere = y >= 0 && y + at.height <= 360;
        const place = anchors.of("agent").get(id);
        if (isThere && place?.rect?.x === at.x && place.rect.y === y) found++;
        else if (!isThere && place?.status === "lost") gone++;
        else wrong++;
      }
    }
  }
  t.equal(wrong, 0);
  t.equal(found + gone, 12 * 2 * 9);
  t.ok(gone > 0);
});

t.test("confidence is 1 for the same pixels and less under noise", async (t) => {
  const page = new Page(400, 300, 4);
  const { anchors, all } = setUp(page.screen, false);
  const { id } = anchors.of("agent").add(rect(100, 100, 80, 40));
  page.show(30);
  all();
  t.match(anchors.of("agent").get(id), { status: "found", confidence: 1, rect: { x: 100, y: 70 } });
  addNoise(page.screen, 6, 9);
  all();
  const noisy = anchors.of("agent").get(id);
  t.equal(noisy?.status, "found");
  t.ok(noisy !== null && noisy.confidence < 1 && noisy.confidence >= 0.6);
});

t.test("of two that look alike none is chosen, unless the target said where it moved", async (t) => {
  const frame = new Framebuffer(400, 300, { hasKernels: true });
  const button = (x: number, y: number): void => {
    frame.fill(rect(x, y, 60, 24), 0xd0d0d0);
    frame.fill(rect(x + 10, y + 8, 30, 6), 0x303030);
    frame.fill(rect(x + 44, y + 6, 6, 12), 0x8040ff);
  };
  const wipe = (): void => frame.fill(frame.rect, 0xffffff);
  wipe();
  button(40, 40);
  const { anchors, all, clock } = setUp(frame);
  const { id } = anchors.of("agent").add(rect(40, 40, 60, 24));
  wipe();
  button(200, 80);
  button(200, 120);
  all();
  t.match(anchors.of("agent").get(id), { status: "ambiguous", rect: null, confidence: 0 });
  t.match(anchors.of("agent").find(id), { status: "ambiguous" });
  t.match(anchors.of("agent").find(id, { area: rect(190, 100, 100, 60) }), {
    status: "found",
    rect: { x: 200, y: 120 },
  });
  // Both scroll by one row, so that one stands where the other was: only the move tells them apart.
  wipe();
  button(200, 80);
  button(200, 40);
  all([{ fromX: 0, fromY: 40, to: rect(0, 0, 400, 260) }]);
  t.match(anchors.of("agent").get(id), { status: "found", rect: { x: 200, y: 80 }, confidence: 1 });
  wipe();
  button(10, 10);
  all();
  clock.advance(1000);
  t.match(anchors.of("agent").get(id), { status: "found", rect: { x: 10, y: 10 } });
});

t.test("a move that the pixels do not bear out is not believed", async (t) => {
  const page = new Page(400, 300, 8);
  const { anchors, all } = setUp(page.screen);
  const { id } = anchors.of("agent").add(rect(100, 100, 64, 32));
  page.show(20);
  all([{ fromX: 0, fromY: 50, to: rect(0, 0, 400, 250) }]);
  t.match(anchors.of("agent").get(id), { status: "found", rect: { x: 100, y: 80 } });
});

t.test("damage elsewhere costs nothing and changes nothing", async (t) => {
  const page = new Page(400, 300, 8);
  const { anchors } = setUp(page.screen);
  const { id } = anchors.of("agent").add(rect(100, 100, 64, 32));
  const places: unknown[] = [];
  anchors.on((place) => places.push(place));
  // The pixels are others by now, but nobody said so: the anchor is not looked at.
  page.show(20);
  anchors.update(Region.of(rect(0, 0, 90, 300)), []);
  t.match(anchors.of("agent").get(id), { rect: { x: 100, y: 100 } });
  t.same(places, []);
});

t.test("an overlay goes with its anchor, is hidden while that is gone, and comes back", async (t) => {
  const page = new Page(640, 360, 3);
  page.show(200);
  const { anchors, scene, all, clock } = setUp(page.screen);
  const { id } = anchors.of("agent").add(rect(100, 150, 96, 48), "title");
  t.equal(id, "title");
  const overlay = scene.add({ ...BOX, x: 110, y: 160, anchorId: id }, "agent", page.screen.rect);
  const still = scene.add({ ...BOX, x: 10, y: 10 }, "agent", page.screen.rect);
  const shown = (): Rect | undefined => scene.overlays.find((one) => one.id === overlay.id);
  page.show(230);
  all();
  t.match(shown(), { x: 110, y: 130, width: 40, height: 20 });
  page.show(700);
  all();
  t.equal(shown(), undefined);
  t.equal(scene.overlays.length, 1);
  page.show(190);
  all();
  clock.advance(1000);
  t.match(shown(), { x: 110, y: 170 });
  t.match(
    scene.overlays.find((one) => one.id === still.id),
    { x: 10, y: 10 },
  );
  t.same(anchors.of("agent").remove("title"), []);
  page.show(150);
  all();
  t.match(shown(), { x: 110, y: 170 }, "without its anchor it stays");
});

t.test("an overlay that is hidden because its anchor is lost goes when that is forgotten", async (t) => {
  const page = new Page(640, 360, 3);
  page.show(200);
  const { anchors, scene, all } = setUp(page.screen);
  const agent = anchors.of("agent");
  agent.add(rect(100, 150, 96, 48), "title");
  agent.add(rect(300, 150, 96, 48), "other");
  const draw = (anchorId: string): string =>
    scene.add({ ...BOX, x: 110, y: 160, anchorId }, "agent", page.screen.rect).id;
  const [hidden, others, gone] = [draw("title"), draw("other"), draw("title")];
  page.show(700);
  all();
  t.same(scene.overlays, []);
  scene.remove(gone);
  const told: unknown[] = [];
  scene.on((event) => told.push(event));
  const by = { kind: "agent", id: "agent", name: "an agent" };
  t.same(agent.remove("title", by), [hidden]);
  t.match(told, [{ type: "removed", overlay: { id: hidden }, isMove: false, by }]);
  t.equal(scene.ownerOf(hidden), null);
  t.equal(scene.ownerOf(others), "agent", "another anchor's is kept for when that is found");
  page.show(200);
  all();
  t.equal(agent.remove("title"), null);
});

t.test("an anchor that makes room for another owner's takes its hidden overlays with it", async (t) => {
  const page = new Page(640, 360, 3);
  page.show(200);
  const { anchors, scene, all } = setUp(page.screen);
  const [ann, bob, cyd] = [anchors.of("ann"), anchors.of("bob"), anchors.of("cyd")];
  for (let i = 0; i < ANCHOR_LIMIT; i++) ann.add(rect(100 + i, 150, 96, 48), `a${i}`);
  const { id } = scene.add({ ...BOX, x: 110, y: 160, anchorId: "a0" }, "ann", page.screen.rect);
  page.show(700);
  all();
  for (let i = 0; i < ANCHOR_LIMIT_IN_ALL - ANCHOR_LIMIT - 1; i++) bob.add(rect(i, i, 20, 20));
  t.equal(scene.ownerOf(id), "ann");
  for (let i = 0; i < 2; i++) cyd.add(rect(i, i, 20, 20));
  t.throws(() => ann.get("a0"), { code: "not_found", message: /given up/ });
  t.equal(scene.ownerOf(id), null);
});

t.test("what cannot be remembered or is not known is refused with the way out", async (t) => {
  const page = new Page(640, 360, 3);
  const { anchors } = setUp(page.screen);
  t.throws(() => anchors.of("agent").add(rect(600, 0, 50, 50)), { code: "invalid_parameters" });
  t.throws(() => anchors.of("agent").add(rect(0, 0, 640, 360)), { code: "invalid_parameters" });
  t.throws(() => anchors.of("agent").find("nobody"), { code: "not_found" });
  t.throws(() => anchors.of("agent").get("nobody"), {
    code: "not_found",
    message: /expected one of add_anchor/,
  });
  for (let i = 0; i < ANCHOR_LIMIT; i++) anchors.of("agent").add(rect(i, i, 20, 20));
  t.throws(() => anchors.of("agent").add(rect(0, 0, 20, 20)), { code: "too_many" });
  const [first] = anchors.all;
  t.equal(anchors.of("agent").add(rect(5, 5, 30, 30), first?.id).id, first?.id, "an id may be used again");
  t.equal(anchors.all.length, ANCHOR_LIMIT);
});

t.test("each owner has anchors of its own", async (t) => {
  const page = new Page(640, 360, 3);
  const { anchors, scene } = setUp(page.screen);
  const ann = anchors.of("ann");
  const bob = anchors.of("bob");
  ann.add(rect(100, 150, 96, 48), "title");
  bob.add(rect(300, 150, 96, 48), "title");
  t.match(ann.get("title"), { rect: { x: 100 } }, "the same id is another's anchor");
  t.match(bob.get("title"), { rect: { x: 300 } });
  const { id } = scene.add({ ...BOX, x: 110, y: 160, anchorId: "title" }, "ann", page.screen.rect);
  bob.find("title", { area: rect(0, 0, 90, 90) });
  t.match(ann.get("title"), { status: "found" }, "what one looks for moves nothing of another's");
  t.same(bob.remove("title"), []);
  t.equal(bob.remove("title"), null);
  t.match(ann.get("title"), { rect: { x: 100 } });
  t.ok(
    scene.overlays.some((overlay) => overlay.id === id),
    "nor hides its overlays",
  );
  for (let i = 0; i < ANCHOR_LIMIT; i++) bob.add(rect(i, i, 20, 20));
  t.throws(() => bob.add(rect(0, 0, 20, 20)), { code: "too_many", message: /you have 32.*remove_anchor/ });
  t.equal(ann.add(rect(0, 0, 20, 20)).id, "anchor-1", "who fills his leaves room for others");
});

t.test("where the desktop is full who has most gives up what was used longest ago", async (t) => {
  const page = new Page(640, 360, 3);
  const { anchors } = setUp(page.screen);
  const at = rect(0, 0, 20, 20);
  const [ann, bob, cid, dan] = [anchors.of("ann"), anchors.of("bob"), anchors.of("cid"), anchors.of("dan")];
  for (let i = 1; i <= ANCHOR_LIMIT; i++) ann.add(rect(i, i, 20, 20));
  for (let i = 1; i < ANCHOR_LIMIT; i++) bob.add(rect(i, i, 20, 20));
  cid.add(at);
  ann.get("anchor-1");
  ann.find("anchor-2");
  t.throws(() => dan.add(rect(639, 0, 20, 20)), { code: "invalid_parameters" });
  t.equal(anchors.all.length, ANCHOR_LIMIT_IN_ALL, "what is refused takes nobody's");
  t.equal(dan.add(at).id, "anchor-1", "the room of others keeps nobody out");
  t.equal(anchors.all.length, ANCHOR_LIMIT_IN_ALL);
  t.throws(() => ann.get("anchor-3"), { code: "not_found", message: /given up/ });
  t.throws(() => bob.get("nobody"), { code: "not_found", message: /expected one of add_anchor/ });
  for (const id of ["anchor-1", "anchor-2", "anchor-4"]) t.equal(ann.get(id).id, id);
  t.throws(() => ann.add(at), { code: "too_many", message: /nobody has more than you/ });
  t.throws(() => bob.add(at), { code: "too_many" });
  t.same(dan.remove("anchor-1"), []);
  ann.add(at, "anchor-3");
  t.equal(ann.get("anchor-3").id, "anchor-3", "it may be added again");
});

t.test("how far it was scrolled is known for as long as moves brought it", async (t) => {
  const page = new Page(640, 360, 3);
  const { anchors } = setUp(page.screen);
  const own = anchors.of("ann");
  own.add(rect(100, 150, 96, 48), "title");
  t.same(own.scrollOf("title"), { x: 0, y: 0 });
  t.same(own.scrollIn(page.screen.rect), { x: 0, y: 0 });
  t.equal(anchors.of("bob").scrollIn(page.screen.rect), null, "who has no anchor there is told nothing");
  page.screen.copy(100, 150, rect(400, 250, 96, 48));
  page.screen.fill(rect(100, 150, 96, 48), 0);
  t.match(own.find("title"), { rect: { x: 400, y: 250 } });
  t.equal(own.scrollOf("title"), null, "somebody moved it: that is no scrolling");
  t.equal(own.scrollIn(page.screen.rect), null);
  t.throws(() => own.scrollOf("nobody"), { code: "not_found" });
});

t.test("after another size everything is looked for again", async (t) => {
  const page = new Page(640, 360, 3);
  const { anchors, all, clock } = setUp(page.screen);
  const { id } = anchors.of("agent").add(rect(100, 150, 96, 48));
  page.screen.resize(700, 400);
  anchors.resized();
  t.match(anchors.of("agent").get(id), { status: "lost" });
  all();
  clock.advance(1000);
  t.match(anchors.of("agent").get(id), { status: "found", rect: { x: 100, y: 150 } });
});
