import type { RecordingSummary } from "../format/summary.ts";

export interface RetentionLimits {
  /** null: kept for good. */
  readonly keepMs: number | null;
  /** Of all that are not running, in all; null: no limit. */
  readonly keepBytes: number | null;
}

/** What has to go: all that ended too long ago, then the oldest until the rest fits. Those that run stay. */
export function expired(
  recordings: readonly RecordingSummary[],
  { keepMs, keepBytes }: RetentionLimits,
  now: Date,
): RecordingSummary[] {
  const newestFirst = recordings
    .filter(({ state, archive }) => state !== "recording" && archive?.state !== "archive_only")
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  let sum = 0;
  return newestFirst.filter((recording) => {
    const endedMs = Date.parse(recording.startedAt) + recording.durationMs;
    if (keepMs !== null && now.getTime() - endedMs > keepMs) return true;
    sum += recording.bytes;
    return keepBytes !== null && sum > keepBytes;
  });
}
