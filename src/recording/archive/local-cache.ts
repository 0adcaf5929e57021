import { join } from "node:path";
import type { S3Bucket } from "../../storage/s3-bucket.ts";
import { confirmFile } from "../../storage/store-file.ts";
import type { RecordingSummary } from "../format/summary.ts";
import { SEAL_FILE } from "../seal/seal.ts";
import { listSegments } from "../write/segments.ts";

export interface LocalCacheOptions {
  readonly bucket: S3Bucket;
  readonly prefix: string;
  readonly folder: string;
  /** All recordings here together; null: no limit. */
  readonly cacheBytes: number | null;
  /** Its files here were deleted; the archive has `bytes` of it. */
  onLetGo(id: string, bytes: number): void;
  /** The archive does not say that it has it. */
  onDoubt(id: string, error: unknown): void;
}

interface Kept {
  list(): Promise<readonly RecordingSummary[]>;
  letGo(id: string): Promise<void>;
}

/**
 * Keeps what recordings take here to a size: the oldest that the archive surely has goes first. What is not archived, still
 * grows or is in doubt stays, however much there is.
 */
export class LocalCache {
  readonly #options: LocalCacheOptions;
  /** Told of once. */
  readonly #doubted = new Set<string>();
  #tail: Promise<void> = Promise.resolve();

  constructor(options: LocalCacheOptions) {
    this.#options = options;
  }

  /** One after the other. Rejects where recordings cannot be listed or deleted. */
  trim(recordings: Kept, signal: AbortSignal): Promise<void> {
    const trimmed = this.#tail.then(() => this.#trim(recordings, signal));
    this.#tail = trimmed.catch(() => undefined); // whoever asked is told
    return trimmed;
  }

  async #trim(recordings: Kept, signal: AbortSignal): Promise<void> {
    const { cacheBytes, onLetGo, onDoubt } = this.#options;
    if (cacheBytes === null) return;
    const here = (await recordings.list()).filter(({ archive }) => archive?.state !== "archive_only");
    let bytes = here.reduce((sum, recording) => sum + recording.bytes, 0);
    // The newest comes first in a list.
    for (const recording of [...here].reverse()) {
      if (bytes <= cacheBytes || signal.aborted) return;
      if (recording.state !== "sealed" || recording.archive?.state !== "archived") continue;
      try {
        await this.#confirm(recording.id, signal);
      } catch (error) {
        if (!this.#doubted.has(recording.id)) onDoubt(recording.id, error);
        this.#doubted.add(recording.id);
        continue;
      }
      await recordings.letGo(recording.id);
      this.#doubted.delete(recording.id);
      bytes -= recording.bytes;
      onLetGo(recording.id, recording.bytes);
    }
  }

  async #confirm(id: string, signal: AbortSignal): Promise<void> {
    const { bucket, prefix, folder } = this.#options;
    for (const { name } of [...(await listSegments(join(folder, id))), { name: SEAL_FILE }]) {
      await confirmFile(bucket, `${prefix}${id}/${name}`, join(folder, id, name), signal);
    }
  }
}
