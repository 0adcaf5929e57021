import { NO_COUNTS, type RecordingCounts, type RecordingSummary } from "../format/summary.ts";
import { begunBy } from "../library/summaries.ts";
import type { OpenedPart } from "./opened-part.ts";

/** A part and its place in the whole, milliseconds since the whole began. */
export interface LaidPart {
  readonly part: OpenedPart;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A stretch of which nothing was recorded, or nothing can be read. */
export interface PartGap {
  readonly fromMs: number;
  readonly toMs: number;
  /** In words for people. */
  readonly reason: string;
}

/**
 * One after the other, by when nodes say that they began: no part begins before the one before it ends, whatever the clocks of two
 * nodes say. `lengthOf`: of one that can be read.
 */
export function layParts(
  parts: readonly OpenedPart[],
  lengthOf: (part: OpenedPart) => number,
): readonly LaidPart[] {
  let base: number | null = null;
  let endMs = 0;
  return parts.map((part) => {
    const startedMs = beginningOf(part);
    base ??= startedMs;
    const fromMs = Math.max(endMs, startedMs === null || base === null ? 0 : Math.ceil(startedMs - base));
    endMs = fromMs + Math.max(0, Math.ceil(part.reader === null ? knownLength(part) : lengthOf(part)));
    return { part, fromMs, toMs: endMs };
  });
}

/** When a part began; null: nobody can tell. */
export function beginningOf({ id, summary, startedMs }: OpenedPart): number | null {
  if (summary !== null) return Date.parse(summary.startedAt);
  return startedMs ?? begunBy(id)?.getTime() ?? null;
}

function knownLength(part: OpenedPart): number {
  if (part.summary !== null) return part.summary.durationMs;
  const startedMs = beginningOf(part);
  return part.endedMs === null || startedMs === null ? 0 : part.endedMs - startedMs;
}

/** What lies between those that can be read, with what became of the desktop meanwhile. */
export function gapsOf(laid: readonly LaidPart[]): readonly PartGap[] {
  const gaps: PartGap[] = [];
  let open: { readonly fromMs: number; readonly reasons: string[] } | null = null;
  let before: LaidPart | null = null;
  for (const one of laid) {
    const { part, fromMs } = one;
    if (before !== null && (open !== null || part.reader === null || fromMs > before.toMs)) {
      open ??= { fromMs: before.toMs, reasons: [] };
      open.reasons.push(moveOf(before.part.node, part.node));
    }
    if (part.reader === null) {
      open ??= { fromMs, reasons: [] };
      open.reasons.push(lossOf(part));
    } else if (open !== null) {
      gaps.push({ fromMs: open.fromMs, toMs: fromMs, reason: open.reasons.join("; ") });
      open = null;
    }
    before = one;
  }
  if (open !== null && before !== null)
    gaps.push({ fromMs: open.fromMs, toMs: before.toMs, reason: open.reasons.join("; ") });
  return gaps;
}

/** Why a part cannot be read, in words for people. */
export function lossOf({ node, problem }: OpenedPart): string {
  return `what node ${node} recorded cannot be read: ${problem ?? "it is not there"}`;
}

function moveOf(from: string, to: string): string {
  return from === to ? `node ${from} was started again` : `the desktop moved from node ${from} to node ${to}`;
}

const WORST = ["tampered", "unsealed", "sealed"] as const;
const LEAST_ARCHIVED = ["failed", "uploading", "local", "archived", "archive_only"] as const;

/** Of the whole, as one recording: it is of who began it, and as good as its worst part. `summaries`: at least one, in order. */
export function summaryOfWhole(
  id: string,
  summaries: readonly RecordingSummary[],
  { startedMs, durationMs, gaps }: { startedMs: number | null; durationMs: number; gaps: number },
): RecordingSummary {
  const [first] = summaries;
  const last = summaries.at(-1);
  if (first === undefined || last === undefined) throw new Error("a whole without a part");
  const archive = LEAST_ARCHIVED.map((state) => summaries.find((one) => one.archive?.state === state)).find(
    (one) => one !== undefined,
  )?.archive;
  return {
    ...first,
    id,
    startedAt: startedMs === null ? first.startedAt : new Date(startedMs).toISOString(),
    durationMs,
    bytes: summaries.reduce((sum, { bytes }) => sum + bytes, 0),
    ...{ width: last.width, height: last.height },
    state:
      last.state === "recording"
        ? "recording"
        : (WORST.find((state) => summaries.some((one) => one.state === state)) ?? last.state),
    ...(last.keptBy === undefined ? {} : { keptBy: last.keptBy }),
    isEncrypted: summaries.some(({ isEncrypted }) => isEncrypted),
    counts: countsOfAll(summaries, gaps),
    ...(archive === undefined ? {} : { archive }),
  };
}

function countsOfAll(summaries: readonly RecordingSummary[], gaps: number): RecordingCounts {
  const sumOf = (key: keyof RecordingCounts): number =>
    summaries.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0);
  const masks = sumOf("masks");
  const agentMasks = sumOf("agentMasks");
  return {
    ...NO_COUNTS,
    ...{ frames: sumOf("frames"), actions: sumOf("actions"), approvals: sumOf("approvals") },
    ...{ overlays: sumOf("overlays"), humanInputs: sumOf("humanInputs"), bookmarks: sumOf("bookmarks") },
    gaps: sumOf("gaps") + gaps,
    ...(masks === 0 ? {} : { masks }),
    ...(agentMasks === 0 ? {} : { agentMasks }),
  };
}
