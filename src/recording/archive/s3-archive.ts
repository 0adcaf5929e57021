import type { ArchiveState } from "../format/summary.ts";
import type { RecordingCopies } from "../library/recording-copies.ts";
import { BlockCache } from "../read/block-cache.ts";
import type { RecordingFiles } from "../read/recording-files.ts";
import { ArchiveUploads, type ArchiveUploadsOptions } from "./archive-uploads.ts";
import { archivedFiles } from "./archived-files.ts";

/** Of blocks that were read there: about what eight people seek about in. */
const CHECKED_BYTES = 64 * 1024 * 1024;

export interface S3ArchiveOptions extends ArchiveUploadsOptions {
  /** Lets the connections to the storage go. */
  close(): void;
}

/** The recordings in S3-compatible storage: takes finished ones there, and gives them to be read. */
export class S3Archive implements RecordingCopies {
  readonly #options: S3ArchiveOptions;
  readonly #uploads: ArchiveUploads;
  readonly #checked = new BlockCache(CHECKED_BYTES);

  constructor(options: S3ArchiveOptions) {
    this.#options = options;
    this.#uploads = new ArchiveUploads(options);
  }

  /** Begins with those that are not in the archive yet. Rejects where they cannot be listed. */
  async follow(recordings: Parameters<ArchiveUploads["follow"]>[0]): Promise<void> {
    await this.#uploads.follow(recordings);
  }

  stateOf(id: string): ArchiveState {
    return this.#uploads.stateOf(id);
  }

  ids(): Iterable<string> {
    return this.#options.index.ids();
  }

  async files(id: string): Promise<RecordingFiles | null> {
    const { bucket, prefix, index } = this.#options;
    const known = await index.get(id);
    return known && archivedFiles(bucket, `${prefix}${id}/`, known, this.#checked.of(id));
  }

  /** How many are in no archive yet, and how many of them failed. */
  get load(): ArchiveUploads["load"] {
    return this.#uploads.load;
  }

  /** Ends what goes on, soon: the next start goes on with it. */
  async close(): Promise<void> {
    await this.#uploads.close();
    this.#options.close();
  }
}
