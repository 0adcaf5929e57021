import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../platform/clock.ts";
import type { ArchiveState, RecordingSummary } from "../format/summary.ts";
import type { RecordingsEvent } from "../library/recording-types.ts";
import { SEAL_FILE } from "../seal/seal.ts";
import { listSegments } from "../write/segments.ts";
import type { ArchivedFile, ArchiveIndex } from "./archive-index.ts";
import type { S3Bucket, S3Lock } from "./s3-bucket.ts";
import { S3Error } from "./s3-error.ts";
import { storeFile } from "./store-file.ts";

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 300_000;
const CLOSE_WITHIN_MS = 2000;

/** The recordings of this appliance; RecordingService is one. */
export interface UploadedRecordings {
  list(): Promise<readonly RecordingSummary[]>;
  get(id: string): Promise<RecordingSummary>;
  on(listener: (event: RecordingsEvent) => void): () => void;
}

export interface ArchiveUploadsOptions {
  readonly bucket: S3Bucket;
  readonly index: ArchiveIndex;
  /** What stands before the names of all objects, with a slash at its end; "" for nothing. */
  readonly prefix: string;
  /** Where the recordings are: FOLDER/ID/. */
  readonly folder: string;
  readonly clock: Clock;
  /** Who may delete nothing there for so long; null: nothing is locked. */
  readonly lock: { readonly mode: S3Lock["mode"]; readonly ms: number } | null;
  /** It is in the archive, whole; `bytes` of it. */
  onArchived(id: string, bytes: number): void;
  /** The first failure of a recording since it was last well. */
  onFailed(id: string, error: unknown): void;
}

/**
 * Sends finished recordings to the archive, one after the other, in the files that they have here; the seal last, so that what has
 * a seal there is whole. What fails is tried again after the others, later each time while nothing succeeds. Who is killed
 * goes on where it was: the archive knows what it has.
 */
export class ArchiveUploads {
  readonly #options: ArchiveUploadsOptions;
  /** In the order in which they are sent. */
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, string>();
  #current: { readonly id: string; readonly controller: AbortController } | null = null;
  #recordings: UploadedRecordings | null = null;
  #stopListening = (): void => {};
  #cancelRetry: (() => void) | null = null;
  #retryMs = FIRST_RETRY_MS;
  #pump: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: ArchiveUploadsOptions) {
    this.#options = options;
  }

  /** Begins with those that are not in the archive yet. Rejects where they cannot be listed. */
  async follow(recordings: UploadedRecordings): Promise<void> {
    this.#recordings = recordings;
    this.#stopListening = recordings.on((event) => {
      if (event.type === "stopped") this.#add(event.recording.id);
      else if (event.type === "removed") this.#forget(event.id);
    });
    const all = await recordings.list();
    // The oldest first: they have waited longest.
    for (const { id, state } of [...all].reverse()) if (state === "sealed") this.#add(id);
  }

  stateOf(id: string): ArchiveState {
    if (this.#options.index.has(id)) return { state: "archived", problem: null };
    const problem = this.#failures.get(id) ?? null;
    if (this.#current?.id === id) return { state: "uploading", problem };
    return { state: problem === null ? "local" : "failed", problem };
  }

  /** How many are in no archive yet, and how many of them failed. */
  get load(): { readonly waiting: number; readonly failing: number } {
    return { waiting: this.#waiting.size, failing: this.#failures.size };
  }

  /** Ends what goes on, soon: the next start goes on with it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    this.#cancelRetry?.();
    const pump = this.#pump;
    if (pump === null) return;
    let cancel = (): void => {};
    const tooLong = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(CLOSE_WITHIN_MS, resolve);
    });
    await Promise.race([pump, tooLong]);
    cancel();
    this.#current?.controller.abort(new Error("the appliance closes"));
    await pump;
  }

  #add(id: string): void {
    if (this.#isClosed || this.#options.index.has(id)) return;
    this.#waiting.add(id);
    this.#run();
  }

  #forget(id: string): void {
    this.#waiting.delete(id);
    this.#failures.delete(id);
    if (this.#current?.id === id) this.#current.controller.abort(new Error("the recording was deleted"));
  }

  #run(): void {
    if (this.#isClosed || this.#pump !== null || this.#cancelRetry !== null) return;
    this.#pump = this.#drain().finally(() => {
      this.#pump = null;
      // Added when it had ended already.
      if (this.#waiting.size > 0) this.#run();
    });
  }

  /** Until none waits or one fails. Never rejects. */
  async #drain(): Promise<void> {
    for (const id of this.#waiting) {
      if (this.#isClosed) return;
      const controller = new AbortController();
      this.#current = { id, controller };
      try {
        await this.#store(id, controller.signal);
        this.#waiting.delete(id);
        this.#failures.delete(id);
        this.#retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (this.#isClosed) return;
        // Deleted meanwhile: it is missed by nobody. That it is gone shows before it is told.
        if (!existsSync(join(this.#options.folder, id))) this.#waiting.delete(id);
        if (!this.#waiting.has(id)) continue;
        this.#fail(id, error);
        return;
      } finally {
        this.#current = null;
      }
    }
  }

  async #store(id: string, signal: AbortSignal): Promise<void> {
    const { bucket, index, prefix, folder, lock, clock, onArchived } = this.#options;
    const recording = await this.#recordings?.get(id);
    // Its end could not be signed, or its seal is broken: it is no finished recording.
    if (recording?.state !== "sealed") return;
    const own = join(folder, id);
    const files: ArchivedFile[] = [];
    for (const { name } of [...(await listSegments(own)), { name: SEAL_FILE }]) {
      const path = join(own, name);
      await storeFile(bucket, `${prefix}${id}/${name}`, path, signal);
      files.push({ name, bytes: (await stat(path)).size });
    }
    if (lock !== null) {
      const until = new Date(clock.date().getTime() + lock.ms);
      for (const { name } of files) {
        await bucket.lock(`${prefix}${id}/${name}`, { mode: lock.mode, until }, signal);
      }
    }
    const seal = await readFile(join(own, SEAL_FILE), "utf8");
    // Who deleted it meanwhile wants no mark of it.
    if (!this.#waiting.has(id)) return;
    await index.add(id, { files, seal });
    onArchived(id, recording.bytes);
  }

  /** Behind all others, and not before some time is over. */
  #fail(id: string, error: unknown): void {
    const { clock, onFailed } = this.#options;
    const isNew = !this.#failures.has(id);
    this.#failures.set(id, error instanceof Error ? error.message : String(error));
    this.#waiting.delete(id);
    this.#waiting.add(id);
    const asked = error instanceof S3Error ? error.pauseMs : 0;
    this.#cancelRetry = clock.after(Math.min(LONGEST_RETRY_MS, Math.max(asked, this.#retryMs)), () => {
      this.#cancelRetry = null;
      this.#run();
    });
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
    if (isNew) onFailed(id, error);
  }
}
