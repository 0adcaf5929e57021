import type { ArchiveState } from "../format/summary.ts";
import type { RecordingFiles } from "../read/recording-files.ts";

/** Another place that has recordings from here; S3Archive is one. */
export interface RecordingCopies {
  /** Of one whose files are here. */
  stateOf(id: string): ArchiveState;
  /** Of those that are there, whole. */
  ids(): Iterable<string>;
  /** The files of one there; null: it is not there, or nothing is known of it yet. */
  files(id: string): Promise<RecordingFiles | null>;
}
