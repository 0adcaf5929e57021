import fc from "fast-check";
import t from "tap";
import { rulerTimes } from "../../../../src/web/client/player/time-ruler.ts";

t.test("a ruler counts in round times", async (t) => {
  t.same(rulerTimes(9500, 5), [0, 2000, 4000, 6000, 8000]);
  t.same(rulerTimes(26_000, 12), [0, 5000, 10_000, 15_000, 20_000, 25_000]);
  t.same(
    rulerTimes(600_000, 12),
    [0, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000, 420_000, 480_000, 540_000],
  );
  t.same(rulerTimes(8 * 3_600_000, 8).at(-1), 7 * 3_600_000);
  t.same(rulerTimes(0, 12), []);
});

t.test("a ruler is never fuller than it may be, nor empty", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4_000_000_000 }), fc.integer({ min: 1, max: 20 }), (ms, most) => {
      const times = rulerTimes(ms, most);
      return times.length >= 1 && times.length <= most && times.every((time) => time < ms);
    }),
  );
});
