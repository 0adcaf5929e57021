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
  const lay = (
    elements: readonly HiddenElement[],
    state: string | null = "still",
    area: Rect | null = PAGE,
  ) => cover.lay({ area, elements, wary: WARY, state });
  const look: typeof lay = (...found) => {
    cover.look();
    lay(...found);
  };
  const answered = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  /** All that it was asked, and what it is asked then. */
  const confirm = async (): Promise<void> => {
    while (asked.length > 0) {
      asked.shift()?.confirm();
      await answered();
    }
  };
  const unproven = (audience: Audience = "agent") => places.unprovenFor(audience).rects;
  return { places, cover, look, lay, unproven, asked, answered, confirm, clock, damages: () => damages };
}

const at = ({ rect: { x, y } }: HiddenElement): string => `${x},${y}`;

t.test("what changes in a page is covered until a later look is confirmed", async (t) => {
  const { places, cover, look, lay, unproven, damages, confirm } = open();
  look([element(120, 120)]);
  await confirm();
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
  lay([element(120, 140)], "scrolled");
  t.same(unproven(), [scrolled, later], "the target may not have shown all of it");
  const last = rect(200, 340, 16, 16);
  places.follow(Region.of(last), []);
  await confirm();
  t.same(unproven(), [later, last], "what came since the look began stays");
  look([element(120, 140)], "scrolled");
  t.same(unproven(), [], "nothing moved since: nothing is asked");
});

t.test("while something moves nothing that changed is shown", async (t) => {
  const { places, look, unproven, asked, confirm } = open();
  look([element(120, 120)]);
  await confirm();
  const changed = rect(110, 110, 30, 30);
  places.follow(Region.of(changed), []);
  look([element(120, 160)], null);
  look([element(120, 200)], null);
  t.equal(asked.length, 0);
  t.same(unproven(), [changed]);
  t.same(places.hidden.map(at), ["120,200", "120,120", "120,160"], "nor where anything was");
  look([element(120, 200)], "rests");
  asked.shift()?.confirm();
  look([element(120, 240)], null);
  await confirm();
  t.same(unproven(), [changed], "what moved before the target answered is not confirmed");
  look([element(120, 240)], "rests again");
  await confirm();
  t.same(unproven(), []);
  t.same(places.hidden.map(at), ["120,240"]);
});

t.test("what moves on and on is covered in few places", (t) => {
  const { places, look } = open();
  for (let i = 0; i < 600; i++) look([element(100 + (i % 30) * 10, 100 + Math.floor(i / 30) * 12)], null);
  const all = Region.from(places.hidden.map(({ rect }) => rect));
  t.ok(places.hidden.length < 300, `${places.hidden.length}`);
  for (let i = 0; i < 600; i++)
    t.ok(Region.of(rect(100 + (i % 30) * 10, 100 + Math.floor(i / 30) * 12, 50, 20)).subtract(all).isEmpty);
  t.end();
});

t.test("a window that may have been moved is covered wherever it is, until it is found", async (t) => {
  const { places, cover, look, unproven, confirm } = open();
  look([element(120, 120)]);
  await confirm();
  t.equal(
    places.follow(Region.of(rect(700, 0, 50, 50)), []),
    false,
    "a small change elsewhere is none of it",
  );
  const both = Region.of(rect(100, 100, 20, 300), rect(500, 100, 200, 300));
  places.follow(both, []);
  t.same(Region.from(unproven()).area, both.area);
  t.equal(cover.isMoved, true);
  look([element(120, 120)]);
  await confirm();
  t.same(Region.from(unproven()).area, both.area, "a look at the page tells nothing of it");
  const far = rect(900, 700, 20, 20);
  t.equal(places.follow(Region.of(far), []), true, "it may be anywhere");
  cover.placed(cover.moves);
  t.equal(cover.isMoved, false);
  look([element(220, 120)], "moved", rect(200, 100, 400, 300));
  await confirm();
  t.same(unproven(), []);
  const move = { fromX: 200, fromY: 100, to: rect(700, 500, 400, 300) };
  places.follow(Region.of(move.to), [move]);
  t.same(unproven(), [move.to], "also by a move whose target lies elsewhere");
});

t.test("changes beside a page that are small, one by one, may be those of its window as well", async (t) => {
  const { places, cover, look, confirm } = open();
  look([element(120, 120)]);
  await confirm();
  for (const y of [100, 150, 200]) {
    t.equal(cover.isMoved, false);
    places.follow(Region.of(rect(510, y, 10, 50)), []);
  }
  t.equal(cover.isMoved, true);
  const moves = cover.moves;
  places.follow(Region.of(rect(0, 0, 600, 600)), []);
  cover.placed(moves);
  look([element(120, 120)]);
  places.follow(Region.of(rect(0, 0, 600, 600)), []);
  t.equal(cover.isMoved, true, "a search that began before it was moved once more tells nothing");
});

t.test("a look that failed proves nothing", async (t) => {
  const { places, cover, look, unproven, confirm } = open();
  look([element(120, 120)]);
  await confirm();
  places.follow(Region.of(rect(110, 110, 30, 30)), []);
  cover.look();
  t.same(unproven(), [rect(110, 110, 30, 30)]);
});

t.test("a place that is left stays covered until the target has confirmed, twice", async (t) => {
  const { places, look, asked, clock, damages, answered } = open();
  look([element(120, 120)]);
  look([element(120, 160)], "moved");
  t.same(places.hidden.map(at), ["120,160", "120,120"]);
  t.equal(asked.length, 2, "and the first question is about what is not so any more");
  asked.pop()?.refuse();
  await answered();
  t.equal(damages(), 0, "not asked at once again");
  clock.advance(1000);
  t.equal(damages(), 1, "but looked at");
  look([element(120, 160)], "moved");
  asked.pop()?.confirm();
  await answered();
  t.same(places.hidden.map(at), ["120,160", "120,120"]);
  asked.pop()?.confirm();
  await answered();
  t.same(places.hidden.map(at), ["120,160"]);
});

t.test("a page that has nothing to hide any more is watched until that is confirmed", async (t) => {
  const { places, cover, look, unproven, confirm } = open();
  look([element(120, 120)]);
  await confirm();
  cover.look();
  cover.lay({ area: PAGE, elements: [], wary: [], state: "gone" });
  const late = rect(120, 120, 50, 20);
  places.follow(Region.of(late), []);
  t.same(unproven(), [late]);
  t.equal(cover.isClear, false);
  await confirm();
  t.same(unproven(), []);
  t.equal(cover.isClear, true);
});

t.test("a page that is gone is shown once the target has confirmed", async (t) => {
  const { places, cover, look, asked, clock, answered, confirm } = open();
  look([element(120, 120)]);
  await confirm();
  t.ok(places.isFor("agent"));
  cover.close();
  t.same(places.hidden.map(at), ["120,120"]);
  asked.shift()?.refuse();
  await answered();
  clock.advance(1000);
  t.same(places.hidden.map(at), ["120,120"]);
  await confirm();
  t.same(places.hidden, []);
  t.notOk(places.isFor("agent"));
  look([element(120, 120)]);
  t.same(places.hidden, [], "and nothing is laid for it any more");
});
