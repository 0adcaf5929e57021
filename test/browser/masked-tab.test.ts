import t, { type Test } from "tap";
import { BrowserError } from "../../src/browser/error.ts";
import { MaskedTab } from "../../src/browser/masked/masked-tab.ts";
import { ElementPlaces, type ElementTerms } from "../../src/desktop/masks/element-places.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { until } from "../support/until.ts";
import { attaches, type Call, openTab } from "./fake-tab.ts";

const PASSWORDS: ElementTerms = {
  ...{ maskId: null, selector: "input[type=password]" },
  audiences: ["agent", "recording"],
};
const SECRETS: ElementTerms = { maskId: "secrets", selector: ".secret", audiences: ["viewer"] };
const LOOK = {
  ...{ view: [800, 600], window: "0,0", isZoomed: false, isHidden: false, scale: 1, isMoving: false },
  ...{ count: 1, places: [[0, 50, 60, 150, 80]] },
};

/** A tab of a browser that a desktop shows at 100,200, whose page says `said.look` at each look; null: it does not answer. */
async function open(t: Test, terms: readonly ElementTerms[] = [PASSWORDS]) {
  const said: { look: object | null; isSeen: boolean } = { look: LOOK, isSeen: true };
  let marks = 0;
  const { page, clock, calls, happens } = await openTab(t, (call: Call) => {
    const { method, params } = call;
    const known = attaches(call);
    if (known !== undefined) return known;
    if (method === "Page.createIsolatedWorld") return { executionContextId: 1 };
    if (method === "Overlay.highlightRect") marks++;
    if (method.startsWith("Overlay.")) return {};
    if (!String(params["expression"]).endsWith(".look()")) return undefined;
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
    calls.filter(({ params }) => String(params["expression"]).endsWith(".look()")).length;
  /** Time goes on, a little at a time, until that is so. */
  const comes = (what: string, isSo: () => boolean) =>
    until(what, () => {
      clock.advance(15);
      return isSo();
    });
  return { said, places, tab, clock, looks, marks: () => marks, comes, happens };
}

const rects = (places: ElementPlaces): readonly Rect[] => places.hidden.map(({ rect }) => rect);
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

t.test("a tab in the background shows nothing, and is expected back", async (t) => {
  const { places, comes, said } = await open(t);
  await comes("the field to be hidden", () => places.hidden.length > 0);
  said.look = { ...LOOK, isHidden: true };
  places.follow(Region.of(DAMAGE), []);
  await comes("the field to be gone", () => places.hidden.length === 0);
  t.equal(places.follow(Region.of(DAMAGE), []), true, "what changes there is covered until it was looked at");
});

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
