import sentences from "../../desktop/words/german.json" with { type: "json" };
import { sentencesOf } from "../../desktop/words/sentences.ts";
import { Slice } from "../../platform/loop-turns.ts";
import type { TrackEntry } from "../format/event-entry.ts";
import type { MomentWords } from "./export-moments.ts";

/** What a replay page says itself, by the English text; where the web app says the same, in the same words. */
export const PAGE_GERMAN: Readonly<Record<string, string>> = {
  "The recorded screen of {0}": "Der aufgenommene Bildschirm von {0}",
  "What happened": "Was geschah",
  "Position in the recording": "Stelle in der Aufnahme",
  Player: "Player",
  "Previous action": "Vorige Aktion",
  "Next action": "Nächste Aktion",
  "Play or pause": "Abspielen oder anhalten",
  Play: "Abspielen",
  Pause: "Anhalten",
  " (Space)": " (Leertaste)",
  "Skip what is idle": "Leerlauf überspringen",
  "Skip idle": "Leerlauf überspringen",
  Speed: "Tempo",
  "{0} of {1}": "{0} von {1}",
  "{0}, after: {1}": "{0}, nach: {1}",
};

/** What is told of moments, by the English text. */
export const MOMENT_GERMAN: Readonly<Record<string, string>> = {
  "Asked: {0}": "Gefragt: {0}",
  "Not recorded: {0}": "Nicht aufgenommen: {0}",
  sent: "gesendet",
  "screen changed": "Bildschirm geändert",
  "no change": "keine Änderung",
  refused: "abgelehnt",
  failed: "fehlgeschlagen",
  "refused: denied by human": "von einem Menschen abgelehnt",
  "refused: approval expired": "niemand hat geantwortet",
  "refused: permission denied": "nicht erlaubt",
  "refused: stopped": "von einem Menschen gestoppt",
  "refused: human in control": "ein Mensch hatte die Eingabe",
  "refused: cancelled": "abgebrochen",
  "refused: target down": "Desktop nicht verbunden",
  "refused: out of bounds": "außerhalb des Bildschirms",
  "refused: stale screenshot": "Bildschirmfoto war veraltet",
  "refused: stale screen": "Bildschirm hatte sich geändert",
  approved: "erlaubt",
  "approved by {0}": "erlaubt von {0}",
  denied: "abgelehnt",
  "denied by {0}": "abgelehnt von {0}",
  expired: "niemand hat geantwortet",
  cancelled: "abgebrochen",
  stale: "verfallen",
};

/** German for the moments of these entries. In slices, as each sentence is tried against all that desktops say. */
export async function germanWords(entries: readonly TrackEntry[]): Promise<MomentWords> {
  const say = sentencesOf(sentences);
  const known = new Map<string, string>();
  const slice = new Slice("free");
  for (const entry of entries) {
    if (!("summary" in entry) || known.has(entry.summary)) continue;
    if (slice.isOver) await slice.next();
    known.set(entry.summary, say(entry.summary));
  }
  return {
    said: (english) => known.get(english) ?? say(english),
    ours: (english) => MOMENT_GERMAN[english] ?? english,
  };
}
