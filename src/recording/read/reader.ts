import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { ActionEntry, RecordedLine, TrackEntry } from "../format/event-entry.ts";
import type { RecordingSummary } from "../format/summary.ts";
import type { Step } from "./frame-seeker.ts";

/** The whole picture at a moment. */
export interface RecordedFrame extends Size {
  /** When it was taken: at or before what was asked for. */
  readonly atMs: number;
  /** The desktop's generation that it shows. */
  readonly generation: number;
  /** False where parts that changed all the time were left for later, so that the recording keeps to its budget. */
  readonly isExact: boolean;
  /** R, G, B, 255, rows top down, width * height * 4 bytes; the caller's own. */
  readonly rgba: Uint8Array<ArrayBuffer>;
}

/** A chunk of pictures: what the index knows of it. They are in order. */
export interface PictureChunk {
  /** From 0 on without holes; of a part of a whole: see JoinedReader. */
  readonly index: number;
  /** Whether its first picture is whole, so that decoding may begin here. */
  readonly isKey: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  /** 0: it stands for a part of a whole that cannot be read now, and its bytes are refused with why. */
  readonly frames: number;
  /** Of the deflated bytes that `chunkBytes` gives. */
  readonly sizeBytes: number;
  /** Of the same, inflated. */
  readonly rawBytes: number;
  /** Pixels that changed in it, the key's own not counted: the activity lane. */
  readonly changedPixels: number;
}

/** All that one moment needs, to be sent at once. */
export interface PictureRun {
  /** From the key on, without holes; empty where the recording has no picture yet. */
  readonly parts: readonly {
    readonly chunk: PictureChunk;
    readonly isDeflated: boolean;
    /** As `chunkBytes` gives them, or inflated where they are few. */
    readonly bytes: Uint8Array;
  }[];
  /** When the chunk after them begins; null: they are the last so far. */
  readonly untilMs: number | null;
}

/** What a search found, the oldest first. */
export interface SearchHit {
  readonly atMs: number;
  readonly entry: TrackEntry;
  /** What says it, for people: of text that was shown, the line. */
  readonly text: string;
  /** Where the words stood when the line came, desktop pixels; null for what is not text that was shown. */
  readonly rect: Rect | null;
  /** When the line went; null: it stood until the end, or is no line, or nobody looked for that. */
  readonly untilMs: number | null;
}

/** The lines of text that stood at a moment. */
export interface RecordedText {
  /** When they were shown so. */
  readonly atMs: number;
  /** When the next change of them was shown; null: none is near. */
  readonly untilMs: number | null;
  /** In no order. */
  readonly lines: readonly RecordedLine[];
}

/**
 * One recording, open for reading; a running one grows under its reader. Times are milliseconds since it began and are
 * clamped to what is there. All but `summary` and `chunks` throw RecordingError damaged for bytes that were changed, and what is of
 * one moment or chunk RefusedError node_unreachable where that lies in a part of a whole that cannot be read now.
 */
export interface RecordingReader {
  readonly summary: RecordingSummary;
  /** Of several parts: one that was asked for could not be read, and what is opened anew may have it again. Absent: it is one. */
  readonly isStale?: boolean;
  /** Chunks of pictures, so far. */
  readonly chunkCount: number;
  /** Throws RecordingError no_picture where the recording has none yet. */
  frameAt(ms: number): Promise<RecordedFrame>;
  /** As `frameAt`, for who shows the frame where it is: see FrameSeeker. */
  step<Result>(ms: number, use: (step: Step) => Result): Promise<Result>;
  /** When pictures that are whole were written. */
  keyframes(): Promise<readonly number[]>;
  /** When the pictures of a span were taken, each once: for frame steps. */
  frameTimes(fromMs: number, toMs: number): Promise<readonly number[]>;
  /** The chunks that touch a span, with the key chunk that its beginning needs. */
  chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]>;
  /**
   * A chunk as it was written, decrypted: raw deflate (DecompressionStream "deflate-raw") of one picture after the
   * other, which `PictureDecoder` of src/protocols/recording/picture-decoder.ts (no Node, no DOM) paints in order.
   */
  chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>>;
  /** What is needed to paint the picture of a moment: the chunk that has it and all before it from its key on. */
  run(ms: number): Promise<PictureRun>;
  /** All that happened in a span beside the pixels, in order. */
  events(fromMs?: number, toMs?: number): Promise<readonly TrackEntry[]>;
  actions(): Promise<readonly ActionEntry[]>;
  /**
   * Entries, and lines of text that were shown, that hold every word of the query, whatever the case: at most 200. A line
   * that only grows is found once.
   */
  search(query: string): Promise<readonly SearchHit[]>;
  /** The text of a moment; null where none was recorded until then. */
  textAt(ms: number): Promise<RecordedText | null>;
  close(): Promise<void>;
}
