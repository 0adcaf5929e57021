import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { germanWords, MOMENT_GERMAN, PAGE_GERMAN } from "../../../src/recording/export/export-german.ts";
import { replayMoments } from "../../../src/recording/export/export-moments.ts";
import type { TrackEntry } from "../../../src/recording/format/event-entry.ts";
import { TRACK } from "../../web/fake-recordings.ts";

const HUMAN = { kind: "human", id: "h", name: "Ann" } as const;
const ALL = { fromMs: 0, toMs: 10_000 } as const;

t.test("a question is told with its answer, an action from when it was allowed", async (t) => {
  t.match(replayMoments(TRACK, ALL), [
    {
      ...{ kind: "approval", at: 1000, until: 3000, tone: "good", words: "Asked: Click left at 10,10" },
      detail: "“open the menu” · Bot · approved by Ann",
    },
    {
      ...{ kind: "action", at: 3000, until: 3300, tone: "busy", words: "Click left at 10,10" },
      detail: "“open the menu” · screen changed · approved · Bot",
    },
    { kind: "marker", at: 7000, words: "Mode passive", detail: "Ann" },
    { kind: "marker", at: 8000, words: "look here", detail: "Ann" },
  ]);
});

t.test("times are those of the range, and nothing outside of it is told", async (t) => {
  const moments = replayMoments(TRACK, { fromMs: 2000, toMs: 7500 });
  t.match(moments, [
    { kind: "approval", at: 1000, until: 1000, tone: "good" },
    { kind: "action", at: 1000, until: 1300 },
    { kind: "marker", at: 5000, words: "Mode passive" },
  ]);
  t.equal(moments.length, 3);
});

t.test("a question that nobody answered stays open until the end", async (t) => {
  const asked = TRACK.filter((entry) => entry.type === "approval" && entry.state === "pending");
  t.match(replayMoments(asked, ALL), [
    { at: 1000, until: 10_000, tone: "warn", detail: "“open the menu” · Bot" },
  ]);
});

t.test("what was refused stands after its answer, and says why", async (t) => {
  const denied = TRACK.flatMap((entry): TrackEntry[] => {
    if (entry.type === "approval" && entry.state !== "pending") return [{ ...entry, state: "denied" }];
    if (entry.type !== "action") return entry.type === "approval" ? [entry] : [];
    const told = { outcome: "refused", code: "denied_by_human", wasConfirmed: false } as const;
    return [{ ...entry, ...told }];
  });
  t.match(replayMoments(denied, ALL), [
    { kind: "approval", at: 1000, until: 3000, tone: "bad" },
    { kind: "action", at: 3000, tone: "warn", detail: /refused: denied by human/ },
  ]);
});

t.test("an agent is named by its program, as the viewer names it", async (t) => {
  const named = TRACK.filter(({ type }) => type === "action" || type === "approval").map((entry) =>
    entry.type === "action" || entry.type === "approval"
      ? { ...entry, actor: { ...entry.actor, client: "claude-code" } }
      : entry,
  );
  t.match(replayMoments(named, ALL), [
    { kind: "approval", detail: "“open the menu” · claude-code · approved by Ann" },
    { kind: "action", detail: "“open the menu” · screen changed · approved · claude-code" },
  ]);
});

t.test("stops and gaps are marked", async (t) => {
  const entries: readonly TrackEntry[] = [
    { type: "stopped", atMs: 100, isStopped: true, by: HUMAN },
    { type: "gap", atMs: 900, fromMs: 400, reason: "the disk is full" },
  ];
  t.match(replayMoments(entries, ALL), [
    { at: 100, words: "Agents stopped", detail: "Ann" },
    { at: 400, words: "Not recorded: the disk is full", tone: "bad" },
  ]);
});

t.test("all of it is told in German too, but for what people and agents wrote", async (t) => {
  const more: readonly TrackEntry[] = [
    { type: "stopped", atMs: 9000, isStopped: true, by: HUMAN },
    { type: "gap", atMs: 9900, fromMs: 9500, reason: "$& {0}" },
  ];
  const entries = [...TRACK, ...more];
  const german = replayMoments(entries, ALL, await germanWords(entries));
  t.match(german, [
    { words: "Gefragt: Klick links bei 10,10", detail: "“open the menu” · Bot · erlaubt von Ann" },
    { words: "Klick links bei 10,10", detail: "“open the menu” · Bildschirm geändert · erlaubt · Bot" },
    { words: "Modus Passiv", detail: "Ann" },
    { words: "look here", detail: "Ann" },
    { words: "Agenten angehalten", detail: "Ann" },
    { words: "Nicht aufgenommen: $& {0}" },
  ]);
  const rest = (moments: typeof german) => moments.map(({ words: _, detail: __, ...other }) => other);
  t.same(rest(german), rest(replayMoments(entries, ALL)), "and nothing but words differs");
});

t.test("the web app says the same in the same words", async (t) => {
  const file = fileURLToPath(new URL("../../../src/web/client/language/german.json", import.meta.url));
  const { messages }: { messages: Record<string, string> } = JSON.parse(readFileSync(file, "utf8"));
  const shared = Object.entries({ ...PAGE_GERMAN, ...MOMENT_GERMAN }).filter(([english]) =>
    Object.hasOwn(messages, english),
  );
  t.ok(shared.length > 20, `${shared.length} texts are those of the app`);
  for (const [english, german] of shared) t.equal(german, messages[english], english);
});
