import fc from "fast-check";
import t from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { ViewerSlices } from "../../src/web/viewer-slices.ts";

const SCREEN = rect(0, 0, 1920, 1080);

/** Takes parts until nothing is left; `msPerMegapixel`: how long pixels take. */
function drain(slices: ViewerSlices, region: Region, msPerMegapixel: number): Region[] {
  const parts: Region[] = [];
  let left = region;
  while (!left.isEmpty) {
    const part = slices.take(left);
    if (part.isEmpty) throw new Error("nothing was taken of what is not empty");
    slices.took(part.area, (part.area / 1e6) * msPerMegapixel);
    parts.push(part);
    left = left.subtract(part);
  }
  return parts;
}

t.test("what is small goes at once", async (t) => {
  const line = Region.of(rect(16, 320, 800, 32));
  t.equal(new ViewerSlices().take(line), line);
});

t.test(
  "parts become so small that each takes a few milliseconds, and larger where pixels are cheap",
  async (t) => {
    const slices = new ViewerSlices();
    const whole = Region.of(SCREEN);
    drain(slices, whole, 25);
    const dear = drain(slices, whole, 25);
    t.ok(
      dear.every((part) => (part.area / 1e6) * 25 < 4),
      `${dear.map((part) => part.area)}`,
    );
    for (let i = 0; i < 400; i++) slices.took(65_536, 0.05);
    t.ok(drain(slices, whole, 1).length < dear.length / 3);
  },
);

t.test("a part that changes again and again does not keep the rest waiting", async (t) => {
  const slices = new ViewerSlices();
  const seen: Region[] = [];
  let left = Region.of(SCREEN);
  for (let i = 0; i < 40; i++) {
    const part = slices.take(left);
    slices.took(part.area, (part.area / 1e6) * 40);
    seen.push(part);
    left = left.subtract(part).union(Region.of(rect(0, 0, 1920, 400)));
  }
  t.ok(Region.of(SCREEN).subtract(seen.reduce((all, part) => all.union(part))).isEmpty);
});

t.test("parts are of the region, and together all of it", async () => {
  const side = fc.integer({ min: 0, max: 2000 });
  const rects = fc.array(fc.record({ x: side, y: side, width: side, height: side }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(rects, fc.integer({ min: 1, max: 200 }), (all, msPerMegapixel) => {
      const region = Region.from(all);
      const parts = drain(new ViewerSlices(), region, msPerMegapixel);
      const total = parts.reduce((sum, part) => sum + part.area, 0);
      return total === region.area && parts.every((part) => part.subtract(region).isEmpty);
    }),
  );
});
