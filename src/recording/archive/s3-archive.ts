import { RefusedError } from "../../desktop/error.ts";
import { S3Error } from "../../storage/s3-error.ts";
import type { ArchiveState, RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import type { CopiesLoad, CopiesMaker, RecordingCopies } from "../library/recording-copies.ts";
import { BlockCache } from "../read/block-cache.ts";
import type { RecordingFiles } from "../read/recording-files.ts";
import { ArchiveUploads, type ArchiveUploadsOptions, type UploadedRecordings } from "./archive-uploads.ts";
import { archivedFiles } from "./archived-files.ts";
import { readArchived } from "./archived-recording.ts";
import { deleteArchived } from "./delete-archived.ts";
import { type FoundArchive, findArchived } from "./find-archived.ts";
import type { GoneArchives } from "./gone-archives.ts";
import { LocalCache, type LocalCacheOptions } from "./local-cache.ts";

/** Of blocks that were read there: about what eight people seek about in. */
const CHECKED_BYTES = 64 * 1024 * 1024;
const NOT_KNOWN = { folder: "", known: null } as const;
/** After so long the archive is looked at again that did not answer. */
const LOOK_AGAIN_MS = 60_000;
const DELETED_WITHIN_MS = 60_000;

export interface S3ArchiveOptions extends ArchiveUploadsOptions, LocalCacheOptions {
  /** What is there was listed; null: it did not say. */
  onLooked(found: FoundArchive | null, error: unknown): void;
  /** Of nodes of the fleet that are gone. Absent: this server is alone. */
  readonly gone?: GoneArchives;
  /** Lets the connections to the storage go. */
  close(): void;
}

interface Recordings extends UploadedRecordings {
  letGo(id: string): Promise<void>;
}

/**
 * The recordings in S3-compatible storage: takes finished ones there, gives them to be read, and lets their files here go where
 * they take too much.
 */
export class S3Archive implements RecordingCopies {
  readonly #options: S3ArchiveOptions;
  readonly #uploads: ArchiveUploads;
  readonly #cache: LocalCache;
  readonly #checked = new BlockCache(CHECKED_BYTES);
  readonly #closing = new AbortController();
  #recordings: Recordings | null = null;
  #cancelLook: (() => void) | null = null;
  #isReachable: boolean | null = null;
  #tail: Promise<void> = Promise.resolve();

  constructor(options: S3ArchiveOptions) {
    this.#options = options;
    this.#cache = new LocalCache(options);
    this.#uploads = new ArchiveUploads({
      ...options,
      onArchived: (id, bytes) => {
        this.#isReachable = true;
        options.onArchived(id, bytes);
        this.#trim();
      },
      onFailed: (id, error) => {
        if (error instanceof S3Error && error.status === 0) this.#isReachable = false;
        options.onFailed(id, error);
      },
    });
  }

  /** Looks at what is there, and begins with what is not there yet. Rejects where recordings cannot be listed. */
  async follow(recordings: Recordings): Promise<void> {
    this.#recordings = recordings;
    await this.#look();
    if (this.#closing.signal.aborted) return;
    await this.#uploads.follow(recordings);
    this.#trim();
    await this.#options.gone?.follow();
  }

  stateOf(id: string): ArchiveState {
    return this.#uploads.stateOf(id);
  }

  *ids(): Generator<string, void, undefined> {
    const { index, gone } = this.#options;
    yield* index.ids();
    for (const id of gone?.ids() ?? []) if (!index.has(id)) yield id;
  }

  makerOf(id: string): CopiesMaker | null {
    const { index, gone } = this.#options;
    return index.has(id) ? null : (gone?.makerOf(id) ?? null);
  }

  unanswered(node: string): string {
    return this.#options.gone?.unanswered(node) ?? "this node has no archive";
  }

  async files(id: string): Promise<RecordingFiles | null> {
    const { bucket, prefix, index, gone } = this.#options;
    const own = await readArchived(index, id);
    const { folder, known } = own
      ? { folder: `${prefix}${id}/`, known: own }
      : index.has(id)
        ? NOT_KNOWN
        : ((await gone?.known(id)) ?? NOT_KNOWN);
    return known && archivedFiles(bucket, folder, known, this.#checked.of(id));
  }

  async remove(id: string): Promise<void> {
    const maker = this.makerOf(id);
    if (maker !== null) {
      throw new RefusedError(
        "node_unreachable",
        `got a recording of node ${maker.node}, which is gone: expected that node, or a rule of the bucket, to delete it`,
      );
    }
    if (!this.#options.index.has(id)) return;
    try {
      await this.#delete(id);
    } catch (cause) {
      if (!(cause instanceof S3Error)) throw cause;
      throw new RecordingError("unreachable", cause.message, { cause });
    }
  }

  get load(): CopiesLoad {
    return {
      ...this.#uploads.load,
      archived: this.#options.index.size,
      cachedBytes: this.#checked.bytes,
      isReachable: this.#isReachable,
    };
  }

  /** Ends what goes on, soon: the next start goes on with it. */
  async close(): Promise<void> {
    this.#cancelLook?.();
    await this.#uploads.close();
    await this.#options.gone?.close();
    this.#closing.abort(new Error("the appliance closes"));
    await this.#tail;
    this.#options.close();
  }

  /** Ends deletions that were begun, and knows what is there. Never rejects. */
  async #look(): Promise<void> {
    const { bucket, prefix, index, clock, onLooked } = this.#options;
    const { signal } = this.#closing;
    const looked = (async () => {
      for (const id of await index.leaving()) await this.#delete(id);
      const here = await this.#recordings?.list();
      const local = new Set(here?.filter(isHere).map(({ id }) => id));
      onLooked(await findArchived(bucket, prefix, index, (id) => local.has(id), signal), null);
      this.#isReachable = true;
    })().catch((error: unknown) => {
      if (signal.aborted) return;
      this.#isReachable = false;
      onLooked(null, error);
      this.#cancelLook = clock.after(LOOK_AGAIN_MS, () => void this.#look());
    });
    this.#tail = Promise.all([this.#tail, looked]).then(() => undefined);
    await looked;
  }

  async #delete(id: string): Promise<void> {
    const { bucket, prefix, index, clock } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(DELETED_WITHIN_MS)]);
    await deleteArchived(bucket, `${prefix}${id}/`, clock.date(), () => index.leave(id), signal);
    await index.left(id);
  }

  #trim(): void {
    const recordings = this.#recordings;
    if (recordings === null || this.#closing.signal.aborted) return;
    const trimmed = this.#cache
      .trim(recordings, this.#closing.signal)
      .catch((error: unknown) => this.#options.onLooked(null, error));
    this.#tail = Promise.all([this.#tail, trimmed]).then(() => undefined);
  }
}

function isHere({ archive }: RecordingSummary): boolean {
  return archive?.state !== "archive_only";
}
