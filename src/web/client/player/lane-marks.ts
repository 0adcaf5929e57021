import type { TrackInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import type { Tone } from "../shell/labels.ts";
import { entryTone } from "./track-words.ts";

/** A bar in a lane: one entry, or several of one tone that no screen could tell apart. */
export interface LaneMark {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly tone: Tone;
}

/** What the lanes show of the tracks, from top to bottom. */
export const LANES = [
  { name: "action", title: t`Actions`, types: ["action"] },
  { name: "approval", title: t`Approvals`, types: ["approval"] },
  { name: "overlay", title: t`Overlays`, types: ["overlay"] },
  { name: "marker", title: t`Markers`, types: ["marker", "gap"] },
] as const satisfies readonly {
  readonly name: string;
  readonly title: string;
  readonly types: readonly TrackInfo["type"][];
}[];

export type Lane = (typeof LANES)[number];

/** So many steps a lane is drawn in, once it has more entries than that: as many as a screen has room for. */
const STEPS = 800;

/** What must be seen lies above what may be covered. */
const RANK = { idle: 0, busy: 1, good: 2, warn: 3, bad: 4 } as const satisfies Record<Tone, number>;

/** The bars of a lane, in drawing order: at most `STEPS` of each tone, from the first entry to the last. */
export function laneMarks(
  entries: readonly TrackInfo[],
  { types }: Lane,
  durationMs: number,
): readonly LaneMark[] {
  const wanted: readonly string[] = types;
  const own = entries.filter(({ type }) => wanted.includes(type));
  const stepMs = own.length > STEPS ? durationMs / STEPS : 0;
  const marks: { fromMs: number; untilMs: number; tone: Tone }[] = [];
  const open = new Map<Tone, (typeof marks)[number]>();
  for (const entry of own) {
    const tone = entryTone(entry);
    const untilMs = Math.max(entry.at_ms, untilOf(entry, durationMs));
    const before = open.get(tone);
    if (before !== undefined && entry.at_ms - before.fromMs < stepMs) {
      before.untilMs = Math.max(before.untilMs, untilMs);
      continue;
    }
    const mark = { fromMs: entry.at_ms, untilMs, tone };
    open.set(tone, mark);
    marks.push(mark);
  }
  return marks.sort((a, b) => RANK[a.tone] - RANK[b.tone]);
}

function untilOf(entry: TrackInfo, durationMs: number): number {
  switch (entry.type) {
    case "action":
      return entry.at_ms + entry.duration_ms;
    case "approval":
      return entry.decided_at_ms ?? durationMs;
    case "overlay":
      return entry.until_ms ?? durationMs;
    case "gap":
      return entry.until_ms;
    default:
      return entry.at_ms;
  }
}
