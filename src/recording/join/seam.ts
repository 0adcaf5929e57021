import type { TrackEntry } from "../format/event-entry.ts";
import type { PartGap } from "./part-layout.ts";

/** An entry so much later. */
export function laterEntry(entry: TrackEntry, byMs: number): TrackEntry {
  const atMs = entry.atMs + byMs;
  if (entry.type === "text") return { ...entry, atMs, shownMs: entry.shownMs + byMs };
  if (entry.type === "gap") return { ...entry, atMs, fromMs: entry.fromMs + byMs };
  return { ...entry, atMs };
}

/** The gap as what is recorded says of a full disk. */
export function gapEntry({ fromMs, toMs, reason }: PartGap): TrackEntry {
  return { type: "gap", atMs: toMs, fromMs, reason };
}

/**
 * What ends with a part, whose process told nobody of it: the overlays that it still showed and the lines of text. `entries`: all
 * of the part. The part after it says anew what goes on.
 */
export function endOfPart(entries: readonly TrackEntry[], atMs: number): readonly TrackEntry[] {
  const shown = new Set<string>();
  let hasText = false;
  for (const entry of entries) {
    if (entry.type === "overlays_shown") for (const { id } of entry.overlays) shown.add(id);
    else if (entry.type === "overlays_gone") for (const id of entry.ids) shown.delete(id);
    hasText ||= entry.type === "text";
  }
  const ends: TrackEntry[] = [];
  if (shown.size > 0) ends.push({ type: "overlays_gone", atMs, ids: [...shown] });
  if (hasText) ends.push({ type: "text", atMs, shownMs: atMs, came: [], moved: [], gone: [], stands: [] });
  return ends;
}
