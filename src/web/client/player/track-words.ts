import type { TrackInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import type { Tone } from "../shell/labels.ts";
import { overlayWords } from "../viewer/overlay-place.ts";

/** A part of the track in a few words, for people. */
export function entryWords(entry: TrackInfo): string {
  switch (entry.type) {
    case "action":
      return entry.summary;
    case "approval":
      return t`Asked: ${entry.summary}`;
    case "overlay":
      return t`Overlay: ${overlayWords(entry.overlay)}`;
    case "marker":
      return entry.label;
    case "gap":
      return t`Not recorded: ${entry.reason}`;
    case "resize":
      return t`Resized to ${entry.width} × ${entry.height}`;
  }
}

/** How it should look; the words say the same. */
export function entryTone(entry: TrackInfo): Tone {
  switch (entry.type) {
    case "action":
      return entry.outcome === "done" ? "busy" : entry.outcome === "refused" ? "warn" : "bad";
    case "approval":
      return entry.state === "granted" ? "good" : entry.state === "denied" ? "bad" : "warn";
    case "gap":
      return "bad";
    default:
      return "idle";
  }
}

/** The stretch without a recording that has a moment. */
export function gapAt(entries: readonly TrackInfo[], ms: number) {
  return entries
    .filter((entry) => entry.type === "gap")
    .find(({ at_ms, until_ms }) => at_ms < ms && ms < until_ms);
}

/** What stands in the list beside the picture: overlays and sizes are seen, not read. */
export function isListed(entry: TrackInfo): boolean {
  return entry.type !== "overlay" && entry.type !== "resize";
}

/** A question, and what it came to. */
export type Question = Extract<TrackInfo, { type: "approval" }>;

/** What stands in the list; an action that was asked for has its question in its row. */
export type ListRow = TrackInfo & { readonly question?: Question };

/** What is listed, a row each. */
export function listRows(entries: readonly TrackInfo[]): readonly ListRow[] {
  const rows = new Set<ListRow>();
  const asked = new Map<string, Question>();
  for (const entry of entries.filter(isListed)) {
    rows.add(entry);
    if (!("summary" in entry)) continue;
    const what = entry.actor.name + entry.summary;
    const question = asked.get(what);
    if (entry.type === "approval") asked.set(what, entry);
    else if (question && (entry.was_confirmed || entry.outcome === "refused")) {
      asked.delete(what);
      rows.delete(question);
      rows.delete(entry);
      rows.add({ ...entry, question });
    }
  }
  return [...rows];
}

/** The listed entry that lies nearest to a moment, at most so far away. */
export function nearestEntry(entries: readonly TrackInfo[], ms: number, withinMs: number): TrackInfo | null {
  let nearest: TrackInfo | null = null;
  let distance = withinMs;
  for (const entry of entries) {
    const away = Math.abs(entry.at_ms - ms);
    if (away > distance || !isListed(entry)) continue;
    nearest = entry;
    distance = away;
  }
  return nearest;
}

/** Whether all of the words occur in what an entry says, in any case. */
export function entryMatches(entry: TrackInfo, query: string): boolean {
  const text = searchText(entry).toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function searchText(entry: TrackInfo): string {
  const words = entryWords(entry);
  switch (entry.type) {
    case "action":
    case "approval":
      return `${words} ${entry.intent ?? ""} ${entry.actor.name} ${entry.actor.token ?? ""}`;
    case "marker":
      return `${words} ${entry.by ?? ""}`;
    default:
      return words;
  }
}
