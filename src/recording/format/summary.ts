/**
 * recording: it grows. sealed: closed and signed. unsealed: its process ended before it could sign; it replays to its
 * last whole second. tampered: a byte is not what was written.
 */
type RecordingState = "recording" | "sealed" | "unsealed" | "tampered";

/** Who or what began a recording. */
export const REASONS = ["manual", "always", "agent_activity"] as const;
export type RecordingReason = (typeof REASONS)[number];

/** What happened in a recording, counted. */
export interface RecordingCounts {
  /** Pictures that differ from the one before. */
  readonly frames: number;
  readonly actions: number;
  readonly approvals: number;
  readonly overlays: number;
  /** Clicks and key presses of people. */
  readonly humanInputs: number;
  readonly bookmarks: number;
  /** Times when nothing could be written: a full disk. */
  readonly gaps: number;
  /** Times that something was hidden anew, or from the beginning; absent: nothing ever was. */
  readonly masks?: number;
  /** Of them those when something was recorded that agents must not see: they are not shown these pictures. */
  readonly agentMasks?: number;
}

/** The masks among what is counted, with one more entry of a track. */
export function countMasks(
  { masks = 0, agentMasks = 0 }: Pick<RecordingCounts, "masks" | "agentMasks">,
  event: { readonly hidden: number; readonly agentsOnly: number },
): Pick<RecordingCounts, "masks" | "agentMasks"> {
  const all = masks + (event.hidden + event.agentsOnly > 0 ? 1 : 0);
  const agents = agentMasks + (event.agentsOnly > 0 ? 1 : 0);
  return { ...(all === 0 ? {} : { masks: all }), ...(agents === 0 ? {} : { agentMasks: agents }) };
}

export const NO_COUNTS: RecordingCounts = Object.freeze({
  frames: 0,
  actions: 0,
  approvals: 0,
  overlays: 0,
  humanInputs: 0,
  bookmarks: 0,
  gaps: 0,
});

/**
 * Whether the archive has it: local (not yet), uploading, archived (all of it, and it is here too), archive_only (it is no longer
 * here), failed (it is tried again). `problem`: what went wrong last, in words for people; null for nothing.
 */
export interface ArchiveState {
  readonly state: "local" | "uploading" | "archived" | "archive_only" | "failed";
  readonly problem: string | null;
  /** Of another node, which is gone: its name. It is read in its archive, and nobody changes it. Absent: of this one. */
  readonly node?: string;
}

/** What was recorded of a desktop until it went from one node of a fleet to another, where another recording goes on. */
export interface EarlierPart {
  /** Of a recording. */
  readonly id: string;
  /** Where it was made, and is. */
  readonly node: string;
}

/** The recording that one goes on from, where it does. */
export function continuesOf({ continues }: { readonly continues?: EarlierPart }) {
  return continues === undefined ? {} : { continues };
}

/** A part of a recording whose desktop moved, and its place in the whole. */
export interface JoinedPart extends EarlierPart {
  /** Since the whole began. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Why it cannot be read, in words for people; null: it can. */
  readonly problem: string | null;
}

/** A recording as a list shows it. */
export interface RecordingSummary {
  readonly id: string;
  readonly desktopId: string;
  /** The name of the desktop when it was recorded. */
  readonly title: string;
  /** ISO 8601, of position 0. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** On disk. */
  readonly bytes: number;
  /** Of the last picture; 0 before the first. */
  readonly width: number;
  readonly height: number;
  readonly state: RecordingState;
  readonly reason: RecordingReason;
  /** The name of who began it. */
  readonly startedBy: string;
  /** The principal's id: whose it is. null for one of a version that kept only the name, which is nobody's own. */
  readonly startedById: string | null;
  /** While it runs: the name of a person who asked for it too, after whoever else began it. It is theirs to end. */
  readonly keptBy?: string;
  readonly isEncrypted: boolean;
  /** Absent: it goes on from none. */
  readonly continues?: EarlierPart;
  /** Of a whole one: what it is of, in order. Absent: it is one by itself, or a part. */
  readonly parts?: readonly JoinedPart[];
  readonly counts: RecordingCounts;
  /** Of a sealed one, where there is an archive. */
  readonly archive?: ArchiveState;
}
