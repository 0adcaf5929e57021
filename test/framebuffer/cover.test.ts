import fc from "fast-check";
import t from "tap";
import { coverOf } from "../../src/framebuffer/cover.ts";
import { areaOfRect, boundRects, holdsRect, type Rect, rect } from "../../src/framebuffer/rect.ts";

const areaOf = (rects: readonly Rect[]): number => rects.reduce((sum, r) => sum + areaOfRect(r), 0);

t.test("all parts lie in at most so many rectangles", async () => {
  const edge = fc.nat(3000);
  const size = fc.integer({ min: 1, max: 200 });
  const parts = fc.array(fc.record({ x: edge, y: edge, width: size, height: size }), { maxLength: 300 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 32 }), (rects, most) => {
      const cover = coverOf(rects, most);
      return cover.length <= most && rects.every((r) => cover.some((outer) => holdsRect(outer, r)));
    }),
    { numRuns: 30 },
  );
});

/** As it is told: the two that waste the least become one, of all pairs, until there are few and none is cheap. */
function plainCover(parts: readonly Rect[], most: number): Rect[] {
  let rects = [...parts];
  for (;;) {
    const pairs = rects.flatMap((a, i) =>
      rects.slice(i + 1).map((b, k) => {
        const joined = boundRects(a, b);
        return { i, j: i + 1 + k, joined, waste: areaOfRect(joined) - areaOfRect(a) - areaOfRect(b) };
      }),
    );
    const [first, ...others] = pairs;
    if (first === undefined) return rects;
    const { i, j, joined, waste } = others.reduce((a, b) => (b.waste < a.waste ? b : a), first);
    if (waste > 1024 && waste > 0.2 * areaOfRect(joined) && rects.length <= most) return rects;
    rects = [...rects.filter((_, at) => at !== i && at !== j), joined];
  }
}

t.test("of all pairs the one that wastes the least is joined first", async (t) => {
  const edge = fc.nat(40).map((at) => 16 * at);
  const size = fc.integer({ min: 0, max: 6 }).map((cells) => 16 * cells);
  const parts = fc.array(fc.record({ x: edge, y: edge, width: size, height: size }), { maxLength: 40 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 16 }), (rects, most) => {
      t.strictSame(coverOf(rects, most), plainCover(rects, most));
    }),
    { numRuns: 100 },
  );
});

t.test("what lies far apart stays apart, what lies together becomes one", async (t) => {
  const corners = [rect(0, 0, 20, 20), rect(1900, 1060, 20, 20)];
  t.same(coverOf(corners, 16), corners);
  const line = Array.from({ length: 10 }, (_, i) => rect(i * 64, 100, 60, 14));
  t.same(coverOf(line, 16), [rect(0, 100, 636, 14)]);
  t.same(coverOf([], 16), []);
});

t.test("the cells of a whole screen become one rectangle, few far apart waste little", async (t) => {
  const cells = Array.from({ length: 30 * 17 }, (_, i) =>
    rect((i % 30) * 64, Math.floor(i / 30) * 64, 64, 64),
  );
  t.same(coverOf(cells, 16), [rect(0, 0, 1920, 1088)]);
  const spread = cells.filter((_, i) => i % 13 === 0);
  t.ok(areaOf(coverOf(spread, 32)) <= 2.5 * areaOf(spread));
});
