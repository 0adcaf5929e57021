import t from "tap";
import { ElementPlaces, type HiddenElement } from "../../../src/desktop/masks/element-places.ts";
import type { Audience } from "../../../src/desktop/view.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock } from "../../fake-clock.ts";

const rect = (x: number, y: number, width: number, height: number): Rect => ({ x, y, width, height });
const PAGE = rect(100, 100, 400, 300);
const WARY: readonly Audience[] = ["agent", "recording"];
const element = (x: number, y: number): HiddenElement => ({
  ...{ maskId: null, audiences: WARY },
  rect: rect(x, y, 50, 20),
});

/** The target confirms its picture when `confirm` is called, and refuses to when `refuse` is. */
function open() {
  const clock = new FakeClock();
  const asked: { readonly confirm: () => void; readonly refuse: () => void }[] = [];
  let damages = 0;
  const places = new ElementPlaces({
    clock,
    latest: () =>
      new Promise((resolve, reject) =>
        asked.push({ confirm: resolve, refuse: () => reject(new Error("gone")) }),
      ),
    changed: () => {},
    onBug: (error) => t.fail(String(error)),
  });
  const cover = places.open(() => damages++);
  const look = (elements: readonly HiddenElement[], area: Rect | null = PAGE, wary = WARY): void => {
    cover.look();
    cover.lay({ area, elements, wary });
  };
  const unproven = (audience: Audience = "agent") => places.unprovenFor(audience).rects;
  return { places, cover, look, unproven, asked, clock, damages: () => damages };
}

const at = ({ rect: { x, y } }: HiddenElement): string => `${x},${y}`;

t.test("what changes in a page is covered until a look that began later", async (t) => {
  const { places, cover, look, unproven, damages } = open();
  look([element(120, 120)]);
  t.same(unproven(), []);
  const scrolled = rect(110, 130, 90, 40);
  t.equal(places.follow(Region.of(scrolled), []), true);
  t.same(unproven(), [scrolled]);
  t.same(unproven("recording"), [scrolled]);
  t.same(unproven("viewer"), [], "from whom nothing is hidden nothing is covered");
  t.equal(damages(), 1, "and who looks at the page is told");
  cover.look();
  const later = rect(300, 300, 16, 16);
  places.follow(Region.of(later), []);
  cover.lay({ area: PAGE, elements: [element(120, 140)], wary: WARY });
  t.same(unproven(), [later], "what came while it was looked at stays");
  look([element(120, 140)]);
  t.same(unproven(), []);
});

t.test("a window that moves is covered where it comes to", async (t) => {
  const { places, look, unproven, clock, damages } = open();
  look([element(120, 120)]);
  t.equal(places.follow(Region.of(rect(700, 0, 50, 50)), []), false, "another window is no part of it");
  const both = Region.of(rect(100, 100, 20, 300), rect(500, 100, 200, 300));
  places.follow(both, []);
  t.same(Region.from(unproven()).area, both.area);
  clock.advance(190);
  look([element(120, 120)]);
  t.same(Region.from(unproven()).area, both.area, "the browser may not know yet that it was moved");
  t.equal(damages(), 1);
  clock.advance(10);
  t.equal(damages(), 2, "and is asked once more when it does");
  look([element(120, 120)]);
  const move = { fromX: 100, fromY: 100, to: rect(700, 500, 400, 300) };
  places.follow(Region.of(move.to), [move]);
  t.same(unproven(), [move.to], "also by a move whose target lies elsewhere");
  clock.advance(200);
  look([], null);
  places.follow(Region.of(rect(0, 0, 5, 5)), []);
  t.same(unproven(), [rect(0, 0, 5, 5)], "and all, where nobody knows where the page is");
});

t.test("a look that failed proves nothing", async (t) => {
  const { places, cover, look, unproven } = open();
  look([element(120, 120)]);
  places.follow(Region.of(rect(110, 110, 30, 30)), []);
  cover.look();
  t.same(unproven(), [rect(110, 110, 30, 30)]);
});

t.test("a place that is left stays covered until the target has confirmed", async (t) => {
  const { places, look, asked, clock } = open();
  look([element(120, 120)]);
  look([element(120, 160)]);
  t.same(places.hidden.map(at), ["120,160", "120,120"]);
  asked[0]?.refuse();
  await new Promise(setImmediate);
  t.equal(asked.length, 1, "not asked at once again");
  clock.advance(1000);
  t.equal(asked.length, 2);
  look([element(120, 200)]);
  asked[1]?.confirm();
  await new Promise(setImmediate);
  t.same(places.hidden.map(at), ["120,200", "120,160"], "what was left after it was asked stays");
  asked[2]?.confirm();
  await new Promise(setImmediate);
  t.same(places.hidden.map(at), ["120,200"]);
});

t.test("a page that is gone is shown once the target has confirmed", async (t) => {
  const { places, cover, look, asked } = open();
  look([element(120, 120)]);
  t.ok(places.isFor("agent"));
  cover.close();
  t.same(places.hidden.map(at), ["120,120"]);
  asked[0]?.confirm();
  await new Promise(setImmediate);
  t.same(places.hidden, []);
  t.notOk(places.isFor("agent"));
  look([element(120, 120)]);
  t.same(places.hidden, [], "and nothing is laid for it any more");
});
