import {
  continuesOf,
  countMasks,
  NO_COUNTS,
  type RecordingCounts,
  type RecordingSummary,
} from "../format/summary.ts";
import type { OpenRecording } from "../read/open-recording.ts";
import type { Seal } from "../seal/seal.ts";
import { humanInputsOf } from "../write/event-recorder.ts";

const BEGUN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-.*$/;

/** What happened in a recording, and how large its last picture is, by its tracks. */
export async function countsOf(
  reader: OpenRecording,
  frames: number,
): Promise<Pick<RecordingSummary, "counts" | "width" | "height">> {
  let counts: RecordingCounts = { ...NO_COUNTS, frames };
  let size = { width: 0, height: 0 };
  for (const entry of await reader.events()) {
    counts = {
      ...counts,
      actions: counts.actions + (entry.type === "action" ? 1 : 0),
      approvals: counts.approvals + (entry.type === "approval" && entry.state === "pending" ? 1 : 0),
      overlays: counts.overlays + (entry.type === "overlays_shown" ? entry.overlays.length : 0),
      humanInputs: counts.humanInputs + humanInputsOf(entry),
      bookmarks: counts.bookmarks + (entry.type === "bookmark" ? 1 : 0),
      gaps: counts.gaps + (entry.type === "gap" ? 1 : 0),
      ...(entry.type === "masks" ? countMasks(counts, entry) : {}),
    };
    if (entry.type === "resize") size = { width: entry.width, height: entry.height };
  }
  return { counts, ...size };
}

/** The order of lists. */
export function newestFirst(a: Begun, b: Begun): number {
  return b.startedAt.localeCompare(a.startedAt) || b.id.localeCompare(a.id);
}

type Begun = Pick<RecordingSummary, "id" | "startedAt">;

/** As it is, or tampered. */
export function withState(summary: RecordingSummary, isTampered: boolean): RecordingSummary {
  return isTampered ? { ...summary, state: "tampered" } : summary;
}

/** What a list shows of a sealed recording. */
export function summaryOfSeal(seal: Seal): RecordingSummary {
  const { id, desktopId, title, startedAt, durationMs, bytes, width, height, reason, startedBy, counts } =
    seal;
  return {
    ...{ id, desktopId, title, startedAt, durationMs, bytes, width, height, reason, startedBy, counts },
    startedById: seal.startedById ?? null,
    ...continuesOf(seal),
    isEncrypted: seal.isEncrypted === "yes",
    state: "sealed",
  };
}

/** When a recording began whose head does not say, by its id; null: it does not tell. */
export function begunBy(id: string): Date | null {
  const atMs = Date.parse(id.replace(BEGUN, "$1-$2-$3T$4:$5:$6Z"));
  return Number.isNaN(atMs) ? null : new Date(atMs);
}

/** Of a recording of which nothing is known. */
export function emptySummary(id: string): RecordingSummary {
  return {
    id,
    desktopId: "",
    title: "",
    startedAt: new Date(0).toISOString(),
    durationMs: 0,
    bytes: 0,
    width: 0,
    height: 0,
    state: "unsealed",
    reason: "manual",
    startedBy: "",
    startedById: null,
    isEncrypted: false,
    counts: NO_COUNTS,
  };
}
