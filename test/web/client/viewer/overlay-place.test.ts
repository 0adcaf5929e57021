import t from "tap";
import { liesIn, overlayWords, roomInset } from "../../../../src/web/client/viewer/overlay-place.ts";

const RIGHT = { x: 1000, y: 200, width: 800, height: 400 };

const box = (x: number, y: number, width = 200, height = 100) => ({
  x,
  y,
  width,
  height,
  label: "Save",
});

t.test("overlays are told in words", async (t) => {
  t.equal(overlayWords({ ...box(1, 2), kind: "box" }), "box “Save” at 1, 2");
  t.equal(overlayWords({ ...box(1, 2), label: null, kind: "arrow" }), "arrow at 1, 2");
});

t.test("what an overlay draws is cut at its monitor's edges", async (t) => {
  t.equal(roomInset(box(1000, 300), RIGHT), "inset(-100px -600px -200px 0px)");
  t.equal(roomInset(box(1100, 300, -50, -20), RIGHT), "inset(-100px -700px -300px -100px)");
});

t.test("what was drawn across monitors lies in none of them", async (t) => {
  t.equal(liesIn(box(1000, 200, 800, 400), RIGHT), true);
  t.equal(liesIn(box(900, 300), RIGHT), false);
  t.equal(liesIn(box(1100, 300, -200, 0), RIGHT), false);
  t.equal(liesIn(box(1100, 300, -100, -100), RIGHT), true);
});
