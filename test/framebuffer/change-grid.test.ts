import t from "tap";
import { ChangeGrid } from "../../src/framebuffer/change-grid.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";

t.test("what changed after a number is told in cells, within the picture", async (t) => {
  const grid = new ChangeGrid();
  grid.reset({ width: 100, height: 50 }, 1);
  t.same(grid.since(0).rects, [rect(0, 0, 100, 50)], "all of it at first");
  t.ok(grid.since(1).isEmpty);
  grid.mark([rect(20, 20, 1, 1)], 2);
  grid.mark([rect(90, 40, 30, 30), rect(-5, -5, 3, 3)], 3);
  t.same(grid.since(2).rects, [rect(80, 32, 20, 18)]);
  t.ok(grid.since(1).equals(Region.of(rect(16, 16, 16, 16), rect(80, 32, 20, 18))));
  t.same(grid.since(0).rects, [rect(0, 0, 100, 50)]);
});

t.test("many spots are told in fewer, larger squares that hold them all", async (t) => {
  const grid = new ChangeGrid();
  grid.reset({ width: 1000, height: 700 }, 1);
  let random = 7;
  const next = (below: number): number => {
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    return (random >> 8) % below;
  };
  const spots = Array.from({ length: 300 }, () => rect(next(990), next(690), 3, 3));
  grid.mark(spots, 2);
  const region = grid.since(1);
  t.ok(region.rectCount <= 64, `${region.rectCount} rectangles`);
  t.ok(Region.from(spots).subtract(region).isEmpty);
});
