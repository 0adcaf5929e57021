import fc from "fast-check";
import t from "tap";
import {
  hashOfTime,
  spokenTime,
  timeFromHash,
  timeWords,
} from "../../../../src/web/client/player/player-time.ts";

t.test("times are shown as players show them", async (t) => {
  t.equal(timeWords(0), "0:00");
  t.equal(timeWords(7_999), "0:07");
  t.equal(timeWords(725_000), "12:05");
  t.equal(timeWords(3_723_000), "1:02:03");
  t.equal(timeWords(7_450, true), "0:07.4");
  t.equal(timeWords(-5), "0:00");
});

t.test("times are spoken in words", async (t) => {
  t.equal(spokenTime(0), "0 seconds");
  t.equal(spokenTime(61_000), "1 minute 1 second");
  t.equal(spokenTime(7_202_000), "2 hours 2 seconds");
});

t.test("an address names a moment in seconds or as a clock", async (t) => {
  t.equal(timeFromHash("#t=62.5"), 62_500);
  t.equal(timeFromHash("#t=90s"), 90_000);
  t.equal(timeFromHash("#t=1:02:03.25"), 3_723_250);
  t.equal(timeFromHash("#t=2:03"), 123_000);
  for (const hash of ["", "#", "#t=", "#t=-3", "#t=1:75", "#t=1:99:00", "#t=x", "#u=3", "#t=1e5"]) {
    t.equal(timeFromHash(hash), null, hash);
  }
});

t.test("every moment survives its address", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 * 3_600_000 }), (ms) => timeFromHash(hashOfTime(ms)) === ms),
  );
});
