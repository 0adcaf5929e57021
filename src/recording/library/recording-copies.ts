import type { ArchiveState } from "../format/summary.ts";
import type { RecordingFiles } from "../read/recording-files.ts";

/** What another place has, and what not yet. */
export interface CopiesLoad {
  readonly archived: number;
  readonly waiting: number;
  /** Of those that wait: the last try failed. */
  readonly failing: number;
  /** Of blocks that were read there and are kept in memory. */
  readonly cachedBytes: number;
  /** null: it was not asked yet. */
  readonly isReachable: boolean | null;
}

/** Another place that has recordings from here; S3Archive is one. */
export interface RecordingCopies {
  readonly load: CopiesLoad;
  /** Of one whose files are here. */
  stateOf(id: string): ArchiveState;
  /** Of those that are there, whole. */
  ids(): Iterable<string>;
  /** The files of one there; null: it is not there, or nothing is known of it yet. */
  files(id: string): Promise<RecordingFiles | null>;
  /** Deletes it there, where it is. Throws RefusedError for what is locked; RecordingError unreachable. */
  remove(id: string): Promise<void>;
}
