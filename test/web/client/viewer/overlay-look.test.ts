import t from "tap";
import { shapeOf } from "../../../../src/compositor/shapes/list.ts";
import { glyphNamed } from "../../../../src/web/client/viewer/overlay-glyphs.ts";
import {
  arrowPath,
  arrowTagPlace,
  borderOf,
  boxTagPlace,
  iconSquare,
  inkOn,
  intoRoom,
  overlayWords,
  presence,
} from "../../../../src/web/client/viewer/overlay-look.ts";

const ROOM = { width: 1000, height: 600 };
const TAG = { width: 80, height: 20 };
const box = (x: number, y: number, width = 200, height = 100) => ({
  x,
  y,
  width,
  height,
  color: "#3b82f6",
  label: "Save",
});

t.test("ink is black on light colours and white on dark ones", async (t) => {
  t.equal(inkOn("#ffff00"), "#000000");
  t.equal(inkOn("#ffffff"), "#000000");
  t.equal(inkOn("#00008b"), "#ffffff");
  t.equal(inkOn("#000000"), "#ffffff");
});

t.test("a tab sits above its box, inside where the desktop ends, and never off the side", async (t) => {
  t.match(boxTagPlace(box(100, 100), TAG, ROOM), { x: 100, y: 80, isAbove: true });
  t.match(boxTagPlace(box(100, 10), TAG, ROOM), { x: 100, y: 10, isAbove: false });
  t.match(boxTagPlace(box(980, 100, 20), TAG, ROOM), { x: 920, y: 80 });
});

t.test("an arrow's tag stands behind its tail", async (t) => {
  t.match(arrowTagPlace(box(400, 300, 200, 10), TAG, ROOM), { x: 312, y: 290 });
  t.match(arrowTagPlace(box(400, 300, -200, 10), TAG, ROOM), { x: 408, y: 290 });
  t.match(arrowTagPlace(box(400, 300, 0, 200), TAG, ROOM), { x: 360, y: 272 });
});

t.test("an arrow's outline has its tip at the far corner, also up and to the left", async (t) => {
  t.match(arrowPath(100, 0), "L100.5 0.5");
  t.match(arrowPath(-30, -40), "L-29.5 -39.5");
  t.match(arrowPath(0, 0), /^M-4\.5 0\.5a5 5/);
});

t.test("frames are thinner in boxes too small for three pixels", async (t) => {
  t.same(
    [100, 12, 8, 1].map((side) => borderOf({ width: side, height: 50 })),
    [3, 3, 2, 1],
  );
});

t.test("plates never fade below half", async (t) => {
  t.same([0, 0.5, 1].map(presence), [0.5, 0.75, 1]);
});

t.test("an icon is in the middle of its overlay, a pointer's tip at its corner", async (t) => {
  t.same(iconSquare(box(100, 100, 80, 40), false, ROOM), { x: 120, y: 100, width: 40, height: 40 });
  t.same(iconSquare(box(100, 100, 4, 4), true, ROOM), { x: 100, y: 100, width: 32, height: 32 });
});

t.test("a label that names no sign is written beside a pointer", async (t) => {
  t.match(glyphNamed(" Check "), { isPointer: false, words: null });
  t.match(glyphNamed("pointer"), { isPointer: true, words: null });
  t.match(glyphNamed("look here"), { isPointer: true, words: "look here" });
  t.match(glyphNamed(null), { isPointer: true, words: null });
});

t.test("what is moved into the desktop keeps its size", async (t) => {
  t.same(intoRoom({ x: -5, y: 590, width: 50, height: 20 }, ROOM), { x: 0, y: 580, width: 50, height: 20 });
});

t.test("overlays are told in words", async (t) => {
  t.equal(overlayWords({ ...box(1, 2), kind: "box" }), "box “Save” at 1, 2");
  t.equal(overlayWords({ ...box(1, 2), label: null, kind: "arrow" }), "arrow at 1, 2");
});

t.test("the browser's icon lies where the compositor paints it", async (t) => {
  const icon = shapeOf("icon");
  const spec = {
    ...box(300, 200, 64, 64),
    kind: "icon",
    label: "check",
    opacity: 1,
    temporaryMs: null,
    clickThrough: true,
    monitorIndex: 0,
  };
  t.same(icon?.bounds(spec, { x: 0, y: 0, ...ROOM }), iconSquare(spec, false, ROOM));
});
