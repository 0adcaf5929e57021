import t from "tap";
import { PixelCost } from "../../../src/web/viewer/pixel-cost.ts";

t.test("what was dear is expected to be dear, and forgotten slowly", async (t) => {
  const cost = new PixelCost();
  cost.took(1000, 50);
  t.equal(cost.msOf(2000), 100);
  cost.took(1000, 1);
  t.ok(cost.msOf(1000) > 45);
  for (let i = 0; i < 1000; i++) cost.took(1000, 1);
  t.ok(cost.msOf(1000) < 1.02);
});
