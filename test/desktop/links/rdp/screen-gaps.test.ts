import t from "tap";
import { ScreenGaps } from "../../../../src/desktop/links/rdp/rdp-link.ts";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";

const screens = (...rects: ReturnType<typeof rect>[]) =>
  rects.map((place, id) => ({ id, rect: place, flags: 0 }));

t.test("what lies on no screen is painted with whatever is", async (t) => {
  const gaps = new ScreenGaps();
  const painted = Region.of(rect(0, 0, 800, 600));
  t.equal(gaps.withPainted(painted), painted, "nothing known, nothing added");
  gaps.set({ width: 1440, height: 600 }, screens(rect(0, 0, 800, 600), rect(800, 0, 640, 480)));
  const all = gaps.withPainted(painted.union(Region.of(rect(800, 0, 640, 480))));
  t.ok(Region.of(rect(0, 0, 1440, 600)).subtract(all).isEmpty);
  t.notOk(gaps.withPainted(painted).overlaps(rect(800, 0, 640, 480)), "a screen is its host's to paint");
  gaps.set({ width: 1440, height: 600 }, screens(rect(0, 0, 1440, 600)));
  t.equal(gaps.withPainted(painted), painted);
});
