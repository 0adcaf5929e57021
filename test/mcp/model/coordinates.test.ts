import fc from "fast-check";
import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import {
  assertFresh,
  type Framing,
  nativeFraming,
  toImage,
  toNative,
} from "../../../src/mcp/model/coordinates.ts";

const DESKTOP = { width: 1920, height: 1080 };
const FIT: Framing = {
  desktop: DESKTOP,
  region: rect(0, 0, 1920, 1080),
  image: { width: 1456, height: 819 },
};
const CROP: Framing = {
  desktop: DESKTOP,
  region: rect(100, 200, 300, 150),
  image: { width: 300, height: 150 },
};

t.test("native size is the identity, in both directions", async (t) => {
  const framing = nativeFraming(DESKTOP, rect(0, 0, 1920, 1080));
  for (const point of [
    { x: 0, y: 0 },
    { x: 1919, y: 1079 },
    { x: 777, y: 3 },
  ]) {
    t.same(toNative(point, "image", framing), point);
    t.same(toImage(point, framing), point);
  }
});

t.test("a crop is moved, a thousandth is a share of what is shown", async (t) => {
  t.same(toNative({ x: 5, y: 6 }, "image", CROP), { x: 105, y: 206 });
  t.same(toImage({ x: 99, y: 206 }, CROP), null);
  t.same(toNative({ x: 500, y: 500 }, "normalized_1000", FIT), { x: 960, y: 540 });
  t.same(toNative({ x: 999, y: 999 }, "normalized_1000", FIT), { x: 1918, y: 1078 });
  t.same(toNative({ x: 1000, y: 1000 }, "normalized_1000", FIT), { x: 1919, y: 1079 });
  t.same(toNative({ x: 0, y: 999 }, "normalized_1000", CROP), { x: 100, y: 349 });
});

t.test("every pixel of every image leads to the desktop and back to itself", async () => {
  const framings = fc
    .record({
      x: fc.nat(900),
      y: fc.nat(900),
      width: fc.integer({ min: 1, max: 900 }),
      height: fc.integer({ min: 1, max: 900 }),
      share: fc.double({ min: 0.05, max: 1, noNaN: true }),
    })
    .map(
      ({ x, y, width, height, share }): Framing => ({
        desktop: DESKTOP,
        region: rect(x, y, width, height),
        image: {
          width: Math.max(1, Math.round(width * share)),
          height: Math.max(1, Math.round(height * share)),
        },
      }),
    );
  fc.assert(
    fc.property(framings, fc.nat(), fc.nat(), (framing, a, b) => {
      const point = { x: a % framing.image.width, y: b % framing.image.height };
      const native = toNative(point, "image", framing);
      const back = toImage(native, framing);
      return back?.x === point.x && back.y === point.y;
    }),
  );
});

t.test("points outside are refused with the bounds of their own space", async (t) => {
  t.throws(() => toNative({ x: 1456, y: 0 }, "image", FIT), {
    code: "out_of_bounds",
    message: /x 0 to 1455/,
  });
  t.throws(() => toNative({ x: 0, y: 1001 }, "normalized_1000", FIT), { code: "out_of_bounds" });
  t.throws(() => toNative({ x: 1920, y: 0 }, "native", FIT), { message: /x 0 to 1919/ });
});

t.test("after a resize an image is stale", async (t) => {
  const shot = { framing: FIT, generation: 7 };
  assertFresh(shot, DESKTOP, 7);
  t.throws(() => assertFresh(shot, { width: 1280, height: 800 }, 8), {
    code: "stale_screenshot",
    message: /was 1920x1080.*is 1280x800/,
  });
  t.throws(() => assertFresh(shot, DESKTOP, 9), { code: "stale_screenshot", message: /another size since/ });
});
