import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { UploadQueue, type UploadQueueOptions, type UploadSource } from "../../storage/upload-queue.ts";
import type { ArchiveState, RecordingSummary } from "../format/summary.ts";
import type { RecordingsEvent } from "../library/recording-types.ts";
import { SEAL_FILE } from "../seal/seal.ts";
import { listSegments } from "../write/segments.ts";
import { writeArchived } from "./archived-recording.ts";

/** The recordings of this appliance; RecordingService is one. */
export interface UploadedRecordings {
  list(): Promise<readonly RecordingSummary[]>;
  get(id: string): Promise<RecordingSummary>;
  on(listener: (event: RecordingsEvent) => void): () => void;
}

export interface ArchiveUploadsOptions extends UploadQueueOptions {
  /** What stands before the names of all objects, with a slash at its end; "" for nothing. */
  readonly prefix: string;
  /** Where the recordings are: FOLDER/ID/. */
  readonly folder: string;
  /** It is in the archive, whole; `bytes` of it. */
  onArchived(id: string, bytes: number): void;
  /** The first failure of a recording since it was last well. */
  onFailed(id: string, error: unknown): void;
}

/** Sends finished recordings to the archive; the seal last, so that what has a seal there is whole. */
export class ArchiveUploads {
  readonly #queue: UploadQueue;
  #recordings: UploadedRecordings | null = null;
  #stopListening = (): void => {};

  constructor(options: ArchiveUploadsOptions) {
    this.#queue = new UploadQueue(
      options,
      recordingSource(options, (id) => this.#recordings?.get(id)),
    );
  }

  /** Begins with those that are not in the archive yet. Rejects where they cannot be listed. */
  async follow(recordings: UploadedRecordings): Promise<void> {
    this.#recordings = recordings;
    this.#stopListening = recordings.on((event) => {
      if (event.type === "stopped") this.#queue.add(event.recording.id);
      else if (event.type === "removed") this.#queue.forget(event.id);
    });
    const all = await recordings.list();
    // The oldest first: they have waited longest.
    for (const { id, state, archive } of [...all].reverse()) {
      if (state === "sealed" && archive?.node === undefined) this.#queue.add(id);
    }
  }

  stateOf(id: string): ArchiveState {
    return this.#queue.stateOf(id);
  }

  get load(): UploadQueue["load"] {
    return this.#queue.load;
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#queue.close();
  }
}

function recordingSource(
  { index, prefix, folder, onArchived, onFailed }: ArchiveUploadsOptions,
  get: (id: string) => Promise<RecordingSummary> | undefined,
): UploadSource {
  return {
    async files(id) {
      // Its end could not be signed, or its seal is broken: it is no finished recording.
      if ((await get(id))?.state !== "sealed") return null;
      const names = [...(await listSegments(join(folder, id))), { name: SEAL_FILE }];
      return names.map(({ name }) => ({ path: join(folder, id, name), key: `${prefix}${id}/${name}` }));
    },
    async stored(id, stored, signal) {
      const seal = await readFile(join(folder, id, SEAL_FILE), "utf8");
      signal.throwIfAborted();
      const files = stored.map(({ path, bytes }) => ({ name: basename(path), bytes }));
      await writeArchived(index, id, { files, seal });
      const segments = files.filter(({ name }) => name !== SEAL_FILE);
      onArchived(
        id,
        segments.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    },
    isHere: (id) => existsSync(join(folder, id)),
    onFailed,
  };
}
