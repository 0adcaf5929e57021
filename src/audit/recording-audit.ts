import type { AuditEntry } from "./audit-event.ts";

/** Who did it; Actor of the heart is one. */
interface Doer {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** What the audit needs to know of recordings; RecordingsEvent of that room is one. */
type AuditedEvent =
  | { readonly type: "started" | "kept" | "stopped"; readonly recording: Recording; readonly by: Doer | null }
  | { readonly type: "removed"; readonly id: string; readonly by: Doer | null }
  | { readonly type: "failed"; readonly recording: Recording; readonly isStrict: boolean };

interface Recording {
  readonly id: string;
  readonly durationMs: number;
  readonly bytes: number;
}

interface AuditedRecordings {
  on(listener: (event: AuditedEvent) => void): () => void;
}

/** Records that recordings begin, end, miss pictures and are deleted, until the returned function is called. */
export function auditRecordings(
  recordings: AuditedRecordings,
  record: (entry: AuditEntry) => void,
): () => void {
  return recordings.on((event) => record(entryOf(event)));
}

function entryOf(event: AuditedEvent): AuditEntry {
  if (event.type === "removed") {
    const resource = { kind: "recording", id: event.id };
    return { type: "recording.removed", severity: "warning", actor: event.by, resource };
  }
  const { id, durationMs, bytes } = event.recording;
  const resource = { kind: "recording", id };
  const counts = { bytes, duration_ms: Math.round(durationMs) };
  if (event.type === "failed") {
    return {
      type: "recording.failed",
      severity: "error",
      action: event.isStrict ? "strict" : "best_effort",
      resource,
      counts,
    };
  }
  return { type: `recording.${event.type}`, severity: "notice", actor: event.by, resource, counts };
}
