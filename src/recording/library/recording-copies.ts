import type { ArchiveState } from "../format/summary.ts";
import type { RecordingFiles } from "../read/recording-files.ts";
import type { TrustedSigner } from "../seal/signing-key.ts";

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

/** Who made what is there. */
export interface CopiesMaker {
  readonly node: string;
  readonly signer: TrustedSigner;
}

/** Another place that has recordings from here, and those of nodes of the fleet that are gone; S3Archive is one. */
export interface RecordingCopies {
  readonly load: CopiesLoad;
  /** Of one whose files are here. */
  stateOf(id: string): ArchiveState;
  /** Of those that are there, whole. */
  ids(): Iterable<string>;
  /** The node that is gone and made one; null: it was made here, or is not there. */
  makerOf(id: string): CopiesMaker | null;
  /**
   * Another node does not answer: for a while what it archived is there as if it were gone. Gives why what is asked for is not, so far, in
   * words for people.
   */
  unanswered(node: string): string;
  /** The files of one there; null: it is not there, or nothing is known of it yet. */
  files(id: string): Promise<RecordingFiles | null>;
  /** Deletes it there, where it is. Throws RefusedError for what is locked or another node's; RecordingError unreachable. */
  remove(id: string): Promise<void>;
}
