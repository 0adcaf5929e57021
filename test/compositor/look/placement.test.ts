import t from "tap";
import {
  aroundPath,
  arrowPath,
  arrowTagPlace,
  borderOf,
  boxTagPlace,
  cornerOf,
  freehandPath,
  iconSquare,
  intoRoom,
  markOpacity,
  ringOf,
} from "../../../src/compositor/look/placement.ts";

const ROOM = { x: 0, y: 0, width: 1000, height: 600 };
const TAG = { width: 80, height: 20 };
const RIGHT = { x: 1000, y: 200, width: 800, height: 400 };

const box = (x: number, y: number, width = 200, height = 100) => ({
  x,
  y,
  width,
  height,
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

t.test("an icon is in the middle of its overlay, a pointer's tip at its corner", async (t) => {
  t.same(iconSquare(box(100, 100, 80, 40), false, ROOM), { x: 120, y: 100, width: 40, height: 40 });
  t.same(iconSquare(box(100, 100, 4, 4), true, ROOM), { x: 100, y: 100, width: 32, height: 32 });
});

t.test("what is moved into the desktop keeps its size", async (t) => {
  t.same(intoRoom({ x: -5, y: 590, width: 50, height: 20 }, ROOM), { x: 0, y: 580, width: 50, height: 20 });
});

t.test("words stay on their own monitor, not only on the desktop", async (t) => {
  t.match(boxTagPlace(box(1000, 210), TAG, RIGHT), { x: 1000, y: 210, isAbove: false });
  t.match(boxTagPlace(box(1000, 220), TAG, RIGHT), { x: 1000, y: 200, isAbove: true });
  t.match(boxTagPlace(box(1790, 300, 10), TAG, RIGHT), { x: 1720, y: 280 });
  t.match(arrowTagPlace(box(1010, 300, 200, 10), TAG, RIGHT), { x: 1000, y: 290 });
  t.match(intoRoom({ x: 0, y: 0, width: 900, height: 20 }, RIGHT), { x: 1000, width: 800 });
});

t.test("a ring lies inside its region, however small that is", async (t) => {
  t.same(ringOf({ width: 200, height: 100 }), { rx: 97.5, ry: 47.5, border: 3 });
  t.same(ringOf({ width: 2, height: 2 }), { rx: 0.5, ry: 0.5, border: 1 });
});

t.test("a hand's line goes through its points, and one point is a dot", async (t) => {
  const size = { width: 40, height: 20 };
  t.equal(freehandPath(size, [{ x: 1, y: 2 }]), "M1 2L1 2");
  t.equal(
    freehandPath(size, [
      { x: 0, y: 0 },
      { x: -5.25, y: 7 },
    ]),
    "M0 0L0 0L-5.25 7",
  );
  t.equal(freehandPath(size, undefined).split("L").length, 50);
});

t.test("a spotlight dims its monitor and leaves out its region", async (t) => {
  t.equal(
    aroundPath(box(1100, 300), RIGHT),
    "M-100 -100h800v400h-800zM8 0H192a8 8 0 0 1 8 8V92a8 8 0 0 1 -8 8H8a8 8 0 0 1 -8 -8V8a8 8 0 0 1 8 -8z",
  );
  t.equal(cornerOf({ width: 8, height: 100 }, 8), 2);
});

t.test("what carries the message never fades away", async (t) => {
  t.same([0, 0.5, 1].map(markOpacity), [0.7, 0.85, 1]);
});
