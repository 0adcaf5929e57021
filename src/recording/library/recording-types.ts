import type { Actor } from "../../desktop/control/action.ts";
import type { EarlierPart, RecordingReason, RecordingSummary } from "../format/summary.ts";
import type { PlacedPart } from "../join/opened-part.ts";
import type { PartAsk } from "../join/part-asks.ts";
import type { RecordingReader, SearchHit } from "../read/reader.ts";
import type { AddedMarker, RecordingNote, RecordingNotes } from "./recording-notes.ts";

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

/** What was found in several recordings. */
export interface Found<Hit> {
  /** The newest recording first, in each the oldest hit first. */
  readonly hits: readonly Hit[];
  /** There are others. */
  readonly isCut: boolean;
  /** Recordings that are still being read for the first time: they are found later. */
  readonly unread: number;
}

/** The summaries are of when a recording was last looked at. */
export type FoundInRecordings = Found<SearchHit & { readonly recording: RecordingSummary }>;

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
  /** The parts of a recording, itself among them, as their nodes told; null: they told of none. `desktopId` null: of any desktop. */
  chain(id: string, desktopId: string | null): PartsChain | null;
  /** Asks another node of what it recorded. Rejects with RefusedError node_unreachable, or as that node answers. */
  ask(part: EarlierPart & { readonly desktopId: string }, ask: PartAsk): Promise<Buffer>;
}

export interface PartsChain {
  readonly desktopId: string;
  /** In order. */
  readonly parts: readonly PlacedPart[];
}

export interface PartsAround {
  /** When what it goes on from ended, ISO 8601; null: there is none, or its node has not told yet. */
  readonly earlierEndedAt: string | null;
  /** What goes on from it; null: nothing, as far as is known. */
  readonly next: (EarlierPart & { readonly startedAt: string }) | null;
}

/**
 * Recordings by any of their parts, each with all parts that can be found: here, at other nodes of the fleet, or in the archive. What
 * takes an id rejects with RefusedError not_found where none of them can be read.
 */
export interface WholesFace {
  /** Another reader is to be opened when this differs. */
  keyOf(id: string): string;
  get(id: string): Promise<RecordingSummary>;
  /** `mayRead`: of each part; what may not be read is a gap. Default: all. */
  open(id: string, mayRead?: (part: RecordingSummary) => boolean): Promise<RecordingReader>;
  /** Its last part, the one that may run, as its node told; null: of none was told, and each is whole. */
  lastOf(id: string): EarlierPart | null;
  /** What was found in parts, in the time of their wholes. */
  placed(found: FoundInRecordings): Promise<FoundInRecordings>;
  /** Of all parts; its problem names those that are not there. */
  verify(id: string): Promise<Verification>;
  /** All parts. Throws RefusedError node_unreachable where some could not be asked; the others are gone then. */
  remove(id: string, by?: Actor): Promise<void>;
  /** Of one that `get` or `open` told of: the words of the first part that has any, the markers of all. */
  noteOf(recording: RecordingSummary): Promise<RecordingNote>;
  /** Of the first part that can be read. */
  change(id: string, words: { readonly name?: string | null; readonly text?: string | null }): Promise<void>;
  /** Of the part that has the moment. */
  mark(id: string, marker: Omit<AddedMarker, "id">): Promise<AddedMarker>;
  unmark(id: string, markerId: string): Promise<void>;
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
  /** As one timeline, where a desktop moved between nodes. */
  readonly wholes: WholesFace;
  /** As RecordingParts. */
  around(recording: Pick<RecordingSummary, "id" | "desktopId">): PartsAround;
  on(listener: (event: RecordingsEvent) => void): () => void;
}
