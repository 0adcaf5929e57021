import type { RecordingSummary } from "../format/summary.ts";
import type { RecordingReader } from "../read/reader.ts";

/** A part of a recording whose desktop moved, as far as it is known. Times are milliseconds since 1970. */
export interface PlacedPart {
  readonly id: string;
  /** Where it was made. */
  readonly node: string;
  /** null where that is not known, or it is what `summary` says. */
  readonly startedMs: number | null;
  readonly endedMs: number | null;
}

/** A part that was opened, or was not. */
export interface OpenedPart extends PlacedPart {
  /** null: nothing but its place is known. */
  readonly summary: RecordingSummary | null;
  /** null: it cannot be read, and `problem` says why. */
  readonly reader: RecordingReader | null;
  readonly problem: string | null;
  /** Whoever asks must not read it: to ask again changes nothing. */
  readonly isForbidden?: true;
}
