import t from "tap";
import { DecodeJudge } from "../../../src/desktop/links/decode-judge.ts";

/** Lets a judge hear turns of `tookMs` every `everyMs`; when it first said so, null where it never did. */
function heavyAt(judge: DecodeJudge, tookMs: number, everyMs: number, fromMs: number, untilMs: number) {
  for (let at = fromMs; at < untilMs; at += everyMs) if (judge.took(at, tookMs)) return at + tookMs;
  return null;
}

t.test("a desktop with little to decode stays, however long", async (t) => {
  t.equal(heavyAt(new DecodeJudge(), 0.5, 33, 0, 600_000), null, "text: half a millisecond an update");
  t.equal(heavyAt(new DecodeJudge(), 5, 33, 0, 600_000), null, "full pages of 5 ms, thirty a second");
  t.equal(
    heavyAt(new DecodeJudge(), 9, 100, 0, 600_000),
    null,
    "turns that nobody feels, a tenth of the time",
  );
});

t.test("one that keeps others waiting moves within three to four seconds", async (t) => {
  for (const [tookMs, everyMs] of [
    [15, 100],
    [25, 40],
    [5, 12],
    [200, 1000],
  ] as const) {
    const at = heavyAt(new DecodeJudge(), tookMs, everyMs, 500, 60_000);
    t.ok(at !== null && at >= 2000 && at <= 4500, `${tookMs} ms every ${everyMs} ms: at ${at}`);
  }
});

t.test("short turns do not add up to a long one: others have the thread between them", async (t) => {
  const judge = new DecodeJudge();
  for (let at = 0; at < 60_000; at += 100) {
    // 12 ms in a row ten times a second, but in turns of 2 ms.
    for (let i = 0; i < 6; i++) t.notOk(judge.took(at + i * 2.1, 2));
  }
});

t.test("a first picture, or a window that opens now and then, is no reason", async (t) => {
  const judge = new DecodeJudge();
  t.equal(heavyAt(judge, 20, 25, 0, 1900), null, "two heavy seconds");
  t.equal(heavyAt(judge, 1, 100, 10_000, 60_000), null, "and rest");
  for (let at = 60_000; at < 600_000; at += 3000) {
    t.notOk(judge.took(at, 400), "every third second a heavy one");
  }
});

t.test("seconds without a turn count as light ones", async (t) => {
  const judge = new DecodeJudge();
  t.notOk(judge.took(0, 400));
  t.notOk(judge.took(1000, 400));
  t.notOk(judge.took(6000, 400));
  t.notOk(judge.took(7000, 400));
  t.ok(judge.took(8000, 400));
});
