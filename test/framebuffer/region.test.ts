import fc from "fast-check";
import t from "tap";
import { type Rect, rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";

const SIDE = 12;
const anyRect = fc
  .tuple(
    fc.nat(SIDE - 1),
    fc.nat(SIDE - 1),
    fc.integer({ min: 0, max: SIDE }),
    fc.integer({ min: 0, max: SIDE }),
  )
  .map(([x, y, width, height]) => rect(x, y, width, height));
const anyRegion = fc.array(anyRect, { maxLength: 6 }).map((rects) => Region.from(rects));

/** The region as a set of "x,y", drawn pixel by pixel and so by another road than bands. */
function pixels(region: Region): Set<string> {
  const set = new Set<string>();
  for (const r of region.rects) {
    for (let y = r.y; y < r.y + r.height; y++) {
      for (let x = r.x; x < r.x + r.width; x++) {
        const key = `${x},${y}`;
        if (set.has(key)) throw new Error(`rectangles overlap at ${key}`);
        set.add(key);
      }
    }
  }
  return set;
}

function sameSets(a: Set<string>, b: Set<string>): boolean {
  return a.size === b.size && [...a].every((key) => b.has(key));
}

t.test("union, intersection and difference are those of the pixels", async (t) => {
  fc.assert(
    fc.property(anyRegion, anyRegion, (a, b) => {
      const [pa, pb] = [pixels(a), pixels(b)];
      return (
        sameSets(pixels(a.union(b)), new Set([...pa, ...pb])) &&
        sameSets(pixels(a.intersect(b)), new Set([...pa].filter((key) => pb.has(key)))) &&
        sameSets(pixels(a.subtract(b)), new Set([...pa].filter((key) => !pb.has(key))))
      );
    }),
  );
  t.pass();
});

t.test("the pixels within a rectangle are counted", async (t) => {
  fc.assert(
    fc.property(anyRegion, anyRect, (region, part) => {
      const within = pixels(Region.of(part));
      return region.areaWithin(part) === [...pixels(region)].filter((key) => within.has(key)).length;
    }),
  );
  t.pass();
});

t.test("a region holds a rectangle where it has all of its pixels", async (t) => {
  fc.assert(
    fc.property(anyRegion, anyRect, (region, part) => {
      const all = pixels(region);
      return region.holds(part) === [...pixels(Region.of(part))].every((key) => all.has(key));
    }),
  );
  t.pass();
});

t.test("the same pixels are the same rectangles, however they were put together", async (t) => {
  fc.assert(
    fc.property(fc.array(anyRect, { maxLength: 6 }), (rects) =>
      Region.from(rects).equals(Region.from([...rects].reverse())),
    ),
  );
  t.pass();
});

t.test("rectangles in reading order are put together as in any other", async (t) => {
  // Cut into columns of two, so that many touch; some lie in the order in which they are read, and some overlap.
  const cut = ({ x, y, width, height }: Rect): Rect[] =>
    Array.from({ length: Math.ceil(width / 2) }, (_, i) =>
      rect(x + 2 * i, y, Math.min(2, width - 2 * i), height),
    );
  fc.assert(
    fc.property(anyRegion, fc.array(anyRect, { maxLength: 2 }), (region, more) => {
      const rects = [...region.rects.flatMap(cut), ...more];
      const unions = rects.reduce((all, r) => all.union(Region.of(r)), Region.empty);
      const together = Region.from(rects);
      return together.equals(unions) && sameSets(pixels(together), pixels(unions));
    }),
  );
  t.pass();
});

t.test("bounds, area and simplification", async (t) => {
  const region = Region.of(rect(0, 0, 2, 2), rect(10, 10, 1, 1));
  t.equal(region.area, 5);
  t.same(region.bounds, rect(0, 0, 11, 11));
  t.same(region.simplified(1).rects, [rect(0, 0, 11, 11)]);
  t.equal(region.simplified(2), region);
  t.ok(Region.of(rect(3, 3, 0, 5)).isEmpty);
  t.same(region.translate(1, 2).rects, [rect(1, 2, 2, 2), rect(11, 12, 1, 1)]);
});
