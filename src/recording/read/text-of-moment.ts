import type { RecordedLine, TextEntry, TrackEntry } from "../format/event-entry.ts";
import type { RecordedText } from "./reader.ts";

/** The lines that stood at a moment, by entries in order that may begin before and end after it; null: none says it. */
export function textOf(entries: readonly TrackEntry[], ms: number): RecordedText | null {
  const lines = new Map<number, RecordedLine>();
  let atMs: number | null = null;
  for (const entry of entries) {
    if (entry.type !== "text") continue;
    if (entry.shownMs > ms)
      return atMs === null ? null : { atMs, untilMs: entry.shownMs, lines: [...lines.values()] };
    if (entry.stands === undefined && atMs === null) continue;
    follow(lines, entry);
    atMs = entry.shownMs;
  }
  return atMs === null ? null : { atMs, untilMs: null, lines: [...lines.values()] };
}

function follow(lines: Map<number, RecordedLine>, { came, moved, gone, stands }: TextEntry): void {
  for (const id of gone) lines.delete(id);
  if (stands !== undefined) {
    lines.clear();
    for (const line of stands) lines.set(line.id, line);
  }
  for (const { id, x, y } of moved) {
    const line = lines.get(id);
    if (line !== undefined) lines.set(id, { ...line, x, y });
  }
  for (const line of came) lines.set(line.id, line);
}
