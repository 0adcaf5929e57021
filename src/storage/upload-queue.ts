import { stat } from "node:fs/promises";
import type { Clock } from "../platform/clock.ts";
import type { ArchiveIndex } from "./archive-index.ts";
import type { S3Bucket, S3Lock } from "./s3-bucket.ts";
import { S3Error } from "./s3-error.ts";
import { storeFile } from "./store-file.ts";

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 300_000;
const CLOSE_WITHIN_MS = 2000;

/** A file here, which no longer changes, and what it is called there. */
export interface UploadedFile {
  readonly path: string;
  readonly key: string;
}

/** What one thing that is archived consists of, and what is done when the archive has it. */
export interface UploadSource {
  /** Its files in the order in which they are stored; null: it is not to be sent, or no longer. */
  files(id: string): Promise<readonly UploadedFile[] | null>;
  /** The archive has all of them, whole: puts it into the index. `bytes`: of each file. */
  stored(
    id: string,
    files: readonly (UploadedFile & { readonly bytes: number })[],
    signal: AbortSignal,
  ): Promise<void>;
  /** What is no longer here is missed by nobody. */
  isHere(id: string): boolean;
  /** The first failure since it was last well. */
  onFailed(id: string, error: unknown): void;
}

export interface UploadQueueOptions {
  readonly bucket: S3Bucket;
  readonly index: ArchiveIndex;
  readonly clock: Clock;
  /** Who may delete nothing there for so long; null: nothing is locked. */
  readonly lock: { readonly mode: S3Lock["mode"]; readonly ms: number } | null;
  /** Longer files are sent in parts of so many bytes. */
  readonly partBytes?: number;
}

/**
 * Sends what has ended to an archive, one after the other, in the files that it has here. What fails is tried again after the
 * others, later each time while nothing succeeds. Who is killed goes on where it was: the archive knows what it has.
 */
export class UploadQueue {
  readonly #options: UploadQueueOptions;
  readonly #source: UploadSource;
  /** In the order in which they are sent. */
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, string>();
  #current: { readonly id: string; readonly controller: AbortController } | null = null;
  #cancelRetry: (() => void) | null = null;
  #retryMs = FIRST_RETRY_MS;
  #pump: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: UploadQueueOptions, source: UploadSource) {
    this.#options = options;
    this.#source = source;
  }

  stateOf(id: string): {
    readonly state: "local" | "uploading" | "archived" | "failed";
    readonly problem: string | null;
  } {
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

  /** What the index has is not sent. */
  add(id: string): void {
    if (this.#isClosed || this.#options.index.has(id)) return;
    this.#waiting.add(id);
    this.#run();
  }

  /** It was deleted here. */
  forget(id: string): void {
    this.#waiting.delete(id);
    this.#failures.delete(id);
    if (this.#current?.id === id) this.#current.controller.abort(new Error("it was deleted"));
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
        // Deleted meanwhile. That it is gone shows before it is told.
        if (!this.#source.isHere(id)) this.forget(id);
        if (!this.#waiting.has(id)) continue;
        this.#fail(id, error);
        return;
      } finally {
        this.#current = null;
      }
    }
  }

  async #store(id: string, signal: AbortSignal): Promise<void> {
    const { bucket, lock, clock, partBytes } = this.#options;
    const files = await this.#source.files(id);
    if (files === null) return;
    const stored: (UploadedFile & { readonly bytes: number })[] = [];
    for (const file of files) {
      await storeFile(bucket, file.key, file.path, signal, partBytes);
      stored.push({ ...file, bytes: (await stat(file.path)).size });
    }
    if (lock !== null) {
      const until = new Date(clock.date().getTime() + lock.ms);
      for (const { key } of files) await bucket.lock(key, { mode: lock.mode, until }, signal);
    }
    // Who deleted it meanwhile wants no mark of it.
    signal.throwIfAborted();
    await this.#source.stored(id, stored, signal);
  }

  /** Behind all others, and not before some time is over. */
  #fail(id: string, error: unknown): void {
    const isNew = !this.#failures.has(id);
    this.#failures.set(id, error instanceof Error ? error.message : String(error));
    this.#waiting.delete(id);
    this.#waiting.add(id);
    const asked = error instanceof S3Error ? error.pauseMs : 0;
    const waitMs = Math.min(LONGEST_RETRY_MS, Math.max(asked, this.#retryMs));
    this.#cancelRetry = this.#options.clock.after(waitMs, () => {
      this.#cancelRetry = null;
      this.#run();
    });
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
    if (isNew) this.#source.onFailed(id, error);
  }
}
