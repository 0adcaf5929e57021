import fc from "fast-check";
import t from "tap";
import { fitSize } from "../../../src/desktop/picture/fit.ts";
import { FITS } from "../../../src/desktop/view.ts";

t.test("a full HD screen gets the size that each family of models sees", async (t) => {
  const screen = { width: 1920, height: 1080 };
  t.same(fitSize(screen, "claude"), { width: 1456, height: 819 });
  t.same(fitSize(screen, "openai"), { width: 1365, height: 768 });
  t.same(fitSize(screen, "gemini"), { width: 1440, height: 810 });
  t.same(fitSize(screen, "none"), screen);
});

t.test("what already fits stays as it is", async (t) => {
  t.same(fitSize({ width: 1366, height: 768 }, "claude"), { width: 1366, height: 768 });
  t.same(fitSize({ width: 1024, height: 768 }, "openai"), { width: 1024, height: 768 });
  t.same(fitSize({ width: 1, height: 1 }, "gemini"), { width: 1, height: 1 });
});

t.test("no fit is larger than the desktop or than its limits, at any shape", async () => {
  const side = fc.integer({ min: 1, max: 16_384 });
  fc.assert(
    fc.property(side, side, fc.constantFrom(...FITS), (width, height, fit) => {
      const fitted = fitSize({ width, height }, fit);
      const isInside =
        fitted.width <= width && fitted.height <= height && fitted.width >= 1 && fitted.height >= 1;
      if (fit !== "claude") return isInside;
      const tiles = Math.ceil(fitted.width / 28) * Math.ceil(fitted.height / 28);
      return isInside && tiles <= 1568 && Math.max(fitted.width, fitted.height) <= 1568;
    }),
  );
});
