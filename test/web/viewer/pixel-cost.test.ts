import t from "tap";
import { PixelCost } from "../../../src/web/viewer/update-feed.ts";

t.test("what was dear is expected to be dear, and forgotten slowly", async (t) => {
  const cost = new PixelCost();
  cost.took(10_000, 50);
  t.equal(cost.msOf(20_000), 100);
  cost.took(10_000, 1);
  t.ok(cost.msOf(10_000) > 45);
  for (let i = 0; i < 1000; i++) cost.took(10_000, 1);
  t.ok(cost.msOf(10_000) < 1.02);
});

t.test("what a tiny rectangle takes does not make a page look dear", async (t) => {
  const cost = new PixelCost();
  cost.took(20, 0.1);
  t.ok(cost.msOf(100_000) < 3, "a page fits a turn");
});
