import t from "tap";
import { joinNear, rect } from "../../src/framebuffer/rect.ts";

t.test("rectangles that lie near each other become one, others stay", async (t) => {
  const line = [rect(0, 10, 30, 9), rect(40, 10, 50, 9), rect(90, 12, 20, 5)];
  t.same(joinNear(line, 200), [rect(0, 10, 110, 9)]);
  t.same(joinNear([rect(0, 0, 10, 10), rect(500, 400, 10, 10)], 200), [
    rect(0, 0, 10, 10),
    rect(500, 400, 10, 10),
  ]);
  t.same(joinNear([], 200), []);
});
