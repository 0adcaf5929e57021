import fc from "fast-check";
import t from "tap";
import {
  IDLE_FROM_MS,
  idleSpans,
  indexAt,
  momentAfter,
  momentBefore,
  spanAt,
} from "../../../../src/web/client/player/moments.ts";

const times = fc.array(fc.integer({ min: 0, max: 60_000 })).map((list) => list.sort((a, b) => a - b));

t.test("the search agrees with looking at every time", async () => {
  fc.assert(
    fc.property(times, fc.integer({ min: -1, max: 60_001 }), (list, ms) => {
      return (
        indexAt(list, ms) === list.filter((time) => time <= ms).length - 1 &&
        momentAfter(list, ms) === (list.find((time) => time > ms) ?? null) &&
        momentBefore(list, ms) === (list.findLast((time) => time < ms) ?? null)
      );
    }),
  );
});

const at = (...list: number[]) => list.map((ms) => ({ fromMs: ms, toMs: ms }));

t.test("idle is what is longer than three seconds, with a little shown at both ends", async (t) => {
  const within = (toMs: number) => ({ fromMs: 0, toMs });
  t.same(idleSpans(at(1000, 2000, 10_000), within(11_000)), [{ fromMs: 3000, toMs: 9700 }]);
  t.same(idleSpans([], within(10_000)), [{ fromMs: 1000, toMs: 9700 }], "nothing ever happened");
  t.same(idleSpans(at(0, 3000, 6000), within(9000)), [], "just not longer");
  const busy = [
    { fromMs: 0, toMs: 8000 },
    { fromMs: 2000, toMs: 4000 },
  ];
  t.same(idleSpans(busy, within(12_000)), [{ fromMs: 9000, toMs: 11_700 }], "a long one holds a short one");
});

t.test("no change ever lies in an idle span, and spans are found by time", async () => {
  fc.assert(
    fc.property(times, (list) => {
      const spans = idleSpans(at(...list), { fromMs: 0, toMs: 60_000 });
      return (
        spans.every(({ fromMs, toMs }) => toMs > fromMs && toMs - fromMs >= IDLE_FROM_MS - 1300) &&
        list.every((time) => spanAt(spans, time) === null) &&
        spans.every((span) => spanAt(spans, span.fromMs) === span && spanAt(spans, span.toMs) !== span)
      );
    }),
  );
});
