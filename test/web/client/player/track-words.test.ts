import t from "tap";
import type { TrackInfo } from "../../../../src/web/api/api.ts";
import { type OverlayEntry, overlaysAt } from "../../../../src/web/client/player/overlay-track.ts";
import {
  entryMatches,
  entryTone,
  entryWords,
  isListed,
  listRows,
  nearestEntry,
  type Question,
} from "../../../../src/web/client/player/track-words.ts";

const ACTION: Extract<TrackInfo, { type: "action" }> = {
  ...{ type: "action", at_ms: 1000, id: "a1", actor: { kind: "agent", name: "Bot" }, kind: "click" },
  ...{ summary: "Click left at 3,4", intent: "Save the note", outcome: "done", code: null },
  ...{ was_confirmed: false, changed: true, changed_rect: null, point: null, settle_ms: 1, duration_ms: 50 },
};
const MARKER: TrackInfo = { type: "marker", at_ms: 5000, label: "Mode passive", by: "Ann", is_set: false };

function overlay(id: string, fromMs: number, untilMs: number | null): OverlayEntry {
  return {
    type: "overlay",
    at_ms: fromMs,
    until_ms: untilMs,
    overlay: {
      ...{ id, kind: "box", x: 1, y: 2, width: 3, height: 4, color: "#ff0000", opacity: 1, label: "Here" },
      ...{ temporary_ms: null, click_through: true, monitor_index: 0, created_at: "" },
    },
  };
}

t.test("entries are found by their words, in any order and case", async (t) => {
  t.ok(entryMatches(ACTION, "NOTE click"));
  t.ok(entryMatches(ACTION, "bot"));
  const named = { ...ACTION, actor: { kind: "agent", name: "claude-code", token: "laptop" } };
  t.ok(entryMatches(named, "claude"));
  t.ok(entryMatches(named, "laptop"), "by its token as well");
  t.notOk(entryMatches(ACTION, "note keyboard"));
  t.ok(entryMatches(MARKER, "ann passive"));
});

t.test("every kind has words and a look; what is seen is not listed", async (t) => {
  t.equal(entryWords(ACTION), "Click left at 3,4");
  t.equal(entryTone({ ...ACTION, outcome: "refused" }), "warn");
  t.equal(entryTone({ ...ACTION, outcome: "failed" }), "bad");
  t.match(entryWords(overlay("o1", 0, null)), /Overlay: .*Here/);
  t.equal(entryWords({ type: "gap", at_ms: 0, until_ms: 5, reason: "disk full" }), "Not recorded: disk full");
  t.notOk(isListed(overlay("o1", 0, null)));
  t.ok(isListed(MARKER));
});

t.test("a question stands in the row of what came of it, and alone where nothing did", async (t) => {
  const { type, at_ms, id, actor, summary, intent, ...rest } = ACTION;
  const question = (at: number, state: Question["state"]): Question => ({
    ...{ type: "approval", at_ms: at, id: `q${at}`, actor, summary, intent, state },
    ...{ decided_by: "Ann", decided_at_ms: at + 50 },
  });
  const action = (at: number, over: Partial<typeof ACTION>) => ({
    ...{ type, at_ms: at, id: `a${at}`, actor, summary, intent, ...rest, ...over },
  });
  const granted = question(100, "granted");
  const done = action(200, { was_confirmed: true });
  const denied = question(300, "denied");
  const refused = action(400, { outcome: "refused", code: "denied_by_human" });
  const unasked = action(500, {});
  const waiting = question(600, "pending");
  const edited = action(700, { was_confirmed: true, summary: "Click left at 9,9" });
  const told = listRows([granted, done, denied, refused, unasked, waiting, edited, MARKER]);
  t.same(told, [
    { ...done, question: granted },
    { ...refused, question: denied },
    ...[unasked, waiting, edited, MARKER],
  ]);
});

t.test("the nearest entry is near, and listed", async (t) => {
  const entries = [overlay("o1", 1500, null), ACTION, MARKER];
  t.equal(nearestEntry(entries, 1490, 1000), ACTION);
  t.equal(nearestEntry(entries, 4200, 1000), MARKER);
  t.equal(nearestEntry(entries, 3000, 1000), null);
});

t.test("overlays stand from when they came until they went", async (t) => {
  const entries = [overlay("o1", 1000, 3000), overlay("o2", 2000, null)];
  const at = (ms: number) => overlaysAt(entries, ms).map(({ id }) => id);
  t.same(at(999), []);
  t.same(at(1000), ["o1"]);
  t.same(at(2500), ["o1", "o2"]);
  t.same(at(3000), ["o2"]);
});
