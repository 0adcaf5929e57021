import t from "tap";
import { groundUnder, inkOn, withAlpha } from "../../../src/compositor/look/contrast.ts";

t.test("letters are black on light colours and white on dark ones", async (t) => {
  for (const light of ["#ffffff", "#ffff00", "#00ff00", "#ffa500", "#00ffff"])
    t.equal(inkOn(light), "#000000");
  for (const dark of ["#000000", "#0000ff", "#800080", "#006400", "#8b0000"]) t.equal(inkOn(dark), "#ffffff");
});

t.test("an opacity is added as canvas takes it", async (t) => {
  t.equal(withAlpha("#0a141e", 0.25), "rgba(10, 20, 30, 0.25)");
});

t.test("text stands on a plate of the other kind", async (t) => {
  t.equal(groundUnder("#00008b"), "#ffffff");
  t.equal(groundUnder("#ffff00"), "#0f172a");
});
