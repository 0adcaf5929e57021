import type { Actor } from "../../desktop/control/action.ts";
import type { EarlierPart, RecordingReason, RecordingSummary } from "../format/summary.ts";
import type { RecordingReader, SearchHit } from "../read/reader.ts";
import type { RecordingNotes } from "./recording-notes.ts";

export type { TrackEntry } from "../format/event-entry.ts";
export type { RecordingSummary } from "../format/summary.ts";
export type {
  PictureChunk,
  PictureRun,
  RecordedFrame,
  RecordedText,
  RecordingReader,
  SearchHit,
} from "../read/reader.ts";

/** What `verify` found. `state` is never "recording": a running one is checked as far as it is written. */
export interface Verification {
  readonly id: string;
  readonly state: "sealed" | "unsealed" | "tampered";
  /** What is wrong and where, in words for people; null for what is intact. */
  readonly problem: string | null;
  /** Bytes that are proven to be as they were written. */
  readonly intactBytes: number;
  readonly bytes: number;
  readonly blocks: number;
}

export type RecordingsEvent =
  | { readonly type: "started"; readonly recording: RecordingSummary; readonly by: Actor }
  /** A person asked for one that somebody else had begun. */
  | { readonly type: "kept"; readonly recording: RecordingSummary; readonly by: Actor }
  | ({ readonly type: "stopped"; readonly recording: RecordingSummary } & RecordingEnd)
  /** `by` null: it was too old, or all were too large. */
  | { readonly type: "removed"; readonly id: string; readonly by: Actor | null }
  /** The disk is full or failed: pictures are missing from now on; `isStrict`: agents were stopped. */
  | {
      readonly type: "failed";
      readonly recording: RecordingSummary;
      readonly error: Error;
      readonly isStrict: boolean;
    };

/**
 * `by` null: its desktop went, its policy ended it, or the appliance closed. `isInterrupted`: nobody wanted that, and who has
 * the desktop next goes on.
 */
export interface RecordingEnd {
  readonly by: Actor | null;
  readonly isInterrupted: boolean;
}

/** Whose recordings are searched. */
export interface SearchScope {
  /** What of a recording is looked at: nothing, what happened beside the pixels, or also the text that it shows. */
  reach(recording: RecordingSummary): "none" | "events" | "all";
  /** Hits at most. */
  readonly limit: number;
}

export interface FoundInRecordings {
  /** The newest recording first, in each the oldest hit first; the summaries are of when a recording was last looked at. */
  readonly hits: readonly (SearchHit & { readonly recording: RecordingSummary })[];
  /** There are others. */
  readonly isCut: boolean;
  /** Recordings that are still being read for the first time: they are found later. */
  readonly unread: number;
}

export interface StartOptions {
  /** Default manual. */
  readonly reason?: RecordingReason;
  readonly by: Actor;
  /** Whose it is. Default: of who begins it. */
  readonly owner?: RecordingOwner;
}

/** A principal, by its id, and its name. */
export type RecordingOwner = Pick<Actor, "id" | "name">;

/** A recording that ran on a desktop at another node of a fleet, or before this one's restart, and was not to end. */
export interface InterruptedRecording extends EarlierPart {
  readonly reason: RecordingReason;
  readonly owner: RecordingOwner;
}

/** What a fleet knows of recordings whose desktops moved. */
export interface RecordingParts {
  /** The node that records here. */
  readonly name: string;
  /** What was recorded on a desktop when this node got it, until something is recorded here; null: nothing. */
  interrupted(desktopId: string): InterruptedRecording | null;
  /** What comes before and after one in time. */
  around(recording: Pick<RecordingSummary, "id" | "desktopId">): PartsAround;
}

export interface PartsAround {
  /** When what it goes on from ended, ISO 8601; null: there is none, or its node has not told yet. */
  readonly earlierEndedAt: string | null;
  /** What goes on from it; null: nothing, as far as is known. */
  readonly next: (EarlierPart & { readonly startedAt: string }) | null;
}

/** Every recording of the appliance: those that run and those on disk. */
export interface RecordingsFace {
  /** The newest first. */
  list(): Promise<readonly RecordingSummary[]>;
  /** Throws RefusedError not_found. */
  get(id: string): Promise<RecordingSummary>;
  /** The one that runs on a desktop, null for none. */
  runningOn(desktopId: string): RecordingSummary | null;
  /** One that runs already is given back, and kept for a person who asks for it. Throws RefusedError not_found, too_many (disk floor). */
  start(desktopId: string, options: StartOptions): Promise<RecordingSummary>;
  /** Writes what waits and seals. Throws RefusedError not_found for one that does not run. */
  stop(id: string, by?: Actor): Promise<RecordingSummary>;
  /** Stops it where it runs, and deletes its files. Throws RefusedError not_found. */
  remove(id: string, by?: Actor): Promise<void>;
  /** Throws RefusedError not_found, RecordingError damaged, unsupported or locked. */
  open(id: string): Promise<RecordingReader>;
  /** Reads every byte. Throws RefusedError not_found. */
  verify(id: string): Promise<Verification>;
  /** As a reader's `search`, in all recordings; of each the first hits. `untilMs` is not looked for. */
  searchAll(query: string, scope: SearchScope): Promise<FoundInRecordings>;
  /** Marks the present moment of a running recording. Throws RefusedError not_found. */
  bookmark(id: string, label: string, by: Actor): void;
  /** What people wrote about recordings afterwards. */
  readonly notes: Pick<RecordingNotes, "get" | "change" | "mark" | "unmark">;
  /** Of one whose desktop moved between nodes. */
  around(recording: Pick<RecordingSummary, "id" | "desktopId">): PartsAround;
  on(listener: (event: RecordingsEvent) => void): () => void;
}
