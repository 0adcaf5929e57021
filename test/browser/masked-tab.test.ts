import t, { type Test } from "tap";
import { BrowserError } from "../../src/browser/error.ts";
import { MaskedTab } from "../../src/browser/masked/masked-tab.ts";
import { ElementPlaces, type ElementTerms } from "../../src/desktop/masks/element-places.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { until } from "../support/until.ts";
import { attaches, type Call, openTab, TAB } from "./fake-tab.ts";

const PASSWORDS: ElementTerms = {
  ...{ maskId: null, selector: "input[type=password]" },
  audiences: ["agent", "recording"],
};
const SECRETS: ElementTerms = { maskId: "secrets", selector: ".secret", audiences: ["viewer"] };
const LOOK = {
  ...{ view: [800, 600], window: "0,0", isZoomed: false, isHidden: false, scale: 1, isQuiet: true },
  ...{ stirs: 1, count: 1, places: [[0, 50, 60, 150, 80]] },
};

/** A tab of a browser that a desktop shows at 100,200, whose page says `said.look` at each look; null: it does not answer. */
async function open(t: Test, terms: readonly ElementTerms[] = [PASSWORDS]) {
  const said = { look: LOOK as object | null, isSeen: true, tab: { active: true, minimized: false } };
  let marks = 0;
  const { page, clock, calls, happens } = await openTab(t, (call: Call) => {
    const { method, params } = call;
    const known = attaches(call);
    if (known !== undefined) return known;
    if (method === "Page.createIsolatedWorld") return { executionContextId: 1 };
    if (method === "Overlay.highlightRect") marks++;
    if (method.startsWith("Overlay.")) return {};
    if (call.type === "tabs") return { tabs: [{ tab_id: TAB, ...said.tab }] };
    if (!String(params["expression"]).includes(".look(")) return undefined;
    return said.look === null ? undefined : { result: { value: said.look } };
  });
  const places = new ElementPlaces({
    clock,
    latest: () => Promise.resolve(),
    changed: () => {},
    onBug: (error) => t.fail(String(error)),
  });
  const mark = { rect: { x: 100, y: 200, width: 16, height: 16 }, pixels: 256 };
  const tab = new MaskedTab({
    clock,
    desktops: () => [
      {
        id: "one",
        masks: {
          seek: () => Promise.resolve(said.isSeen ? mark : null),
          openPage: (onDamage) => places.open(onDamage),
        },
      },
    ],
    terms: () => terms,
    desktopOf: () => null,
    seen: () => {},
    maySeek: () => true,
  });
  const following = tab.follow(page());
  t.teardown(async () => {
    page().close(new BrowserError("tab_not_shared", "over"));
    clock.advance(1000);
    await following;
  });
  const looks = (): number =>
    calls.filter(({ params }) => String(params["expression"]).includes(".look(")).length;
  /** Time goes on, a little at a time, until that is so. */
  const comes = (what: string, isSo: () => boolean) =>
    until(what, () => {
      clock.advance(15);
      return isSo();
    });
  return { said, places, tab, clock, looks, marks: () => marks, comes, happens };
}

const rects = (places: ElementPlaces): readonly Rect[] => places.hidden.map(({ rect }) => rect);
const FIELD: Rect = { x: 148, y: 258, width: 104, height: 24 };
const DAMAGE: Rect = { x: 300, y: 300, width: 20, height: 20 };

t.test("a password field that comes into view is hidden where a desktop shows it", async (t) => {
  const { places, comes, looks, said } = await open(t);
  await comes("the field to be hidden", () => places.hidden.length > 0);
  t.same(rects(places), [{ x: 148, y: 258, width: 104, height: 24 }]);
  t.equal(places.follow(Region.of(DAMAGE), []), true);
  t.same(places.unprovenFor("agent").rects, [DAMAGE], "what changes there is covered");
  const before = looks();
  await comes("the page to be looked at", () => places.unprovenFor("agent").isEmpty);
  t.ok(looks() > before);
  said.look = { ...LOOK, places: [[0, 50, 260, 150, 280]] };
  places.follow(Region.of(DAMAGE), []);
  await comes("the field to be hidden elsewhere", () => rects(places).some(({ y }) => y === 458));
});

t.test("a page that answers nothing stays covered where it changed", async (t) => {
  const { places, comes, said, clock } = await open(t);
  await comes("the field to be hidden", () => places.hidden.length > 0);
  said.look = null;
  places.follow(Region.of(DAMAGE), []);
  for (let i = 0; i < 50; i++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  t.same(places.unprovenFor("agent").rects, [DAMAGE]);
  t.same(rects(places), [{ x: 148, y: 258, width: 104, height: 24 }], "and its field where it was");
});

for (const isMinimized of [false, true]) {
  const how = isMinimized ? "whose window is minimized" : "in the background";
  t.test(`a tab ${how} shows nothing, and is expected back`, (t) => away(t, isMinimized));
}

async function away(t: Test, isMinimized: boolean): Promise<void> {
  const { places, comes, said, clock } = await open(t);
  await comes("the field to be hidden", () => places.hidden.length > 0);
  said.look = { ...LOOK, isHidden: true };
  places.follow(Region.of(DAMAGE), []);
  for (let i = 0; i < 50; i++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  t.same(
    places.unprovenFor("agent").rects,
    [DAMAGE],
    "its window may show it again, which it does not know yet",
  );
  t.same(rects(places), [FIELD]);
  said.tab = isMinimized ? { active: true, minimized: true } : { active: false, minimized: false };
  await comes("the field to be gone", () => places.hidden.length === 0);
  t.equal(places.follow(Region.of(DAMAGE), []), true, "what changes there is covered until it was looked at");
  await comes("another tab to be shown", () => places.unprovenFor("agent").isEmpty);
  said.look = LOOK;
  said.tab = { active: true, minimized: false };
  places.follow(Region.of(DAMAGE), []);
  await comes("the field to be hidden again", () => places.hidden.length > 0);
}

t.test("a page whose elements move is shown where it changed once they rest", async (t) => {
  const { places, comes, said, clock, looks } = await open(t);
  await comes("the field to be hidden", () => places.hidden.length > 0);
  said.look = { ...LOOK, isQuiet: false, stirs: 2, places: [[0, 50, 160, 150, 180]] };
  places.follow(Region.of(DAMAGE), []);
  const before = looks();
  await comes("many looks", () => looks() > before + 5);
  t.same(places.unprovenFor("agent").rects, [DAMAGE]);
  t.equal(places.hidden.length, 2, "where it is and was");
  said.look = { ...LOOK, stirs: 2, places: [[0, 50, 160, 150, 180]] };
  clock.advance(100);
  await comes("the change to be shown", () => places.unprovenFor("agent").isEmpty);
  t.equal(places.hidden.length, 1);
});

t.test(
  "a window that may have been moved is looked for once more, and a document that is loaded",
  async (t) => {
    const { places, comes, said, marks, happens } = await open(t);
    await comes("the field to be hidden", () => places.hidden.length > 0);
    said.isSeen = false;
    places.follow(Region.of({ x: 100, y: 200, width: 1200, height: 600 }), []);
    const before = marks();
    await comes("some searches", () => marks() > before + 6);
    t.notOk(places.unprovenFor("agent").isEmpty);
    said.isSeen = true;
    await comes("the window to be found", () => places.unprovenFor("agent").isEmpty);
    const then = marks();
    said.isSeen = false;
    said.look = { ...LOOK, count: 0, places: [] };
    happens(null, "Page.frameNavigated", { frame: { id: "top" } });
    await comes("a search", () => marks() > then + 6);
    t.same(rects(places), [FIELD], "what the document before showed may still be seen");
    said.isSeen = true;
    await comes("nothing to be hidden", () => places.hidden.length === 0);
  },
);

t.test("a page without such a field is not looked for on any desktop", async (t) => {
  const { places, looks, marks, clock, said } = await open(t);
  said.look = { ...LOOK, count: 0, places: [] };
  await until("a look", () => looks() > 0);
  for (let i = 0; i < 20; i++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  t.equal(marks(), 0);
  t.equal(places.follow(Region.of(DAMAGE), []), false);
});

t.test("with a mask of elements each page is looked for, and its masks are for whom they say", async (t) => {
  const { places, comes, said, marks } = await open(t, [PASSWORDS, SECRETS]);
  said.look = { ...LOOK, places: [[1, 10, 10, 20, 20]] };
  await comes("the element to be hidden", () => places.hidden.length > 0);
  t.ok(marks() > 0);
  t.same(
    places.hidden.map(({ maskId, audiences }) => [maskId, audiences]),
    [["secrets", ["viewer"]]],
  );
  t.ok(places.isFor("viewer:approver") && places.isFor("agent"));
});
