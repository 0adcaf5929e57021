import t from "tap";
import { RATES_TEXT, RateBuckets, ratesOf } from "../../src/platform/rate-buckets.ts";
import { FakeClock } from "../fake-clock.ts";

t.test("rates are read as they are written", async (t) => {
  t.strictSame(ratesOf("5/s"), [{ burst: 5, perMs: 0.005 }]);
  t.strictSame(ratesOf("100/15min"), [{ burst: 100, perMs: 100 / 900_000 }]);
  t.strictSame(ratesOf("1/s burst 60 and 10/h"), [
    { burst: 60, perMs: 0.001 },
    { burst: 10, perMs: 10 / 3_600_000 },
  ]);
  for (const bad of [
    "",
    "5",
    "0/s",
    "5/d",
    "5/s burst 0",
    "5/s and",
    "-1/s",
    "1.5/s",
    "1/s and 1/s and 1/s",
  ]) {
    t.notMatch(bad, RATES_TEXT, bad);
  }
  t.throws(() => ratesOf("5/d"), /no rate/);
});

t.test("each key has its own, refilled evenly, and says how long to wait", async (t) => {
  const clock = new FakeClock();
  const buckets = new RateBuckets(clock, ratesOf("2/min"));
  t.equal(buckets.waitMs("a"), 0);
  t.same([buckets.take("a"), buckets.take("a"), buckets.take("a")], [0, 0, 30_000]);
  t.equal(buckets.take("b"), 0);
  clock.advance(29_999);
  t.equal(buckets.take("a"), 1);
  clock.advance(1);
  t.equal(buckets.take("a"), 0);
  buckets.give("a", 1);
  t.equal(buckets.take("a"), 0, "what is given back may be taken again");
});

t.test("more than the burst come when the bucket is full, and are paid back", async (t) => {
  const clock = new FakeClock();
  const buckets = new RateBuckets(clock, ratesOf("10/s"));
  t.equal(buckets.take("a", 30), 0);
  t.equal(buckets.waitMs("a"), 2100);
  clock.advance(2100);
  t.equal(buckets.take("a"), 0);
});
