import t from "tap";
import type { TrackInfo } from "../../../../src/web/api/api.ts";
import { LANES, laneMarks } from "../../../../src/web/client/player/lane-marks.ts";

const [ACTIONS, APPROVALS, , MARKERS] = LANES;

function action(atMs: number, outcome: "done" | "refused" | "failed" = "done"): TrackInfo {
  return {
    ...{ type: "action", at_ms: atMs, id: `a${atMs}`, actor: { kind: "agent", name: "Bot" }, kind: "click" },
    ...{ summary: "Click", intent: null, outcome, code: null, was_confirmed: false, changed: true },
    ...{ changed_rect: null, point: null, settle_ms: 1, duration_ms: 50 },
  };
}

t.test("a lane has a bar for each of its entries, as long as it took", async (t) => {
  const marker: TrackInfo = { type: "marker", at_ms: 700, label: "Here", by: null, is_set: true };
  const gap: TrackInfo = { type: "gap", at_ms: 800, until_ms: 900, reason: "disk full" };
  const asked: TrackInfo = {
    ...{ type: "approval", at_ms: 600, id: "q", actor: { kind: "agent", name: "Bot" }, summary: "Click" },
    ...{ intent: null, state: "pending", decided_by: null, decided_at_ms: null },
  };
  const entries = [action(100), action(200), asked, marker, gap];
  t.same(laneMarks(entries, ACTIONS, 1000), [
    { fromMs: 100, untilMs: 150, tone: "busy" },
    { fromMs: 200, untilMs: 250, tone: "busy" },
  ]);
  t.same(laneMarks(entries, APPROVALS, 1000), [{ fromMs: 600, untilMs: 1000, tone: "warn" }]);
  t.same(laneMarks(entries, MARKERS, 1000), [
    { fromMs: 700, untilMs: 700, tone: "idle" },
    { fromMs: 800, untilMs: 900, tone: "bad" },
  ]);
});

t.test("what failed is drawn over what did not", async (t) => {
  const marks = laneMarks([action(10, "failed"), action(20), action(30, "refused")], ACTIONS, 100);
  t.same(
    marks.map(({ tone }) => tone),
    ["busy", "warn", "bad"],
  );
});

t.test("a lane of any length stays small and reaches to the last entry", async (t) => {
  const entries = Array.from({ length: 50_000 }, (_, i) => action(i * 100, i === 49_999 ? "failed" : "done"));
  const marks = laneMarks(entries, ACTIONS, 5_000_000);
  t.ok(marks.length <= 802, `${marks.length} marks`);
  t.equal(Math.min(...marks.map(({ fromMs }) => fromMs)), 0);
  t.same(
    marks.at(-1),
    { fromMs: 4_999_900, untilMs: 4_999_950, tone: "bad" },
    "one that failed is never lost",
  );
  const sorted = marks.filter(({ tone }) => tone === "busy").map(({ fromMs }) => fromMs);
  t.ok(Math.max(...sorted) > 4_990_000, "the end is as full as the beginning");
});
