import { existsSync, watch } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { confirmFile } from "../../storage/store-file.ts";
import { UploadQueue, type UploadQueueOptions, type UploadSource } from "../../storage/upload-queue.ts";
import type { ChainKey } from "../chain-key.ts";
import { asideFiles, isAside } from "../log-files.ts";
import { SEALED, sealCopy } from "./sealed-copy.ts";

/** What the log tells of it is a line of a file that is archived too: with small files each would bring the next. */
const TOLD_EVERY_MS = 60_000;

/** What reached the archive since it was told last. */
type Batch = { readonly files: number; readonly bytes: number };
const NOTHING: Batch = { files: 0, bytes: 0 };

export interface AuditArchiveOptions extends UploadQueueOptions {
  /** Where the log is. */
  readonly dir: string;
  /** What stands before the names of its files there, with a slash at its end. */
  readonly prefix: string;
  /** What they are encrypted by before they leave, and where the copy that is sent lies meanwhile; null: they leave as they are. */
  readonly seal: { readonly key: ChainKey; readonly copy: string } | null;
  /** The archive surely has it; `bytes` of it. */
  onArchived(name: string, bytes: number): void;
  /** So much reached it since that was told last: once a minute at most, and by `tell`. */
  onTold(batch: Batch): void;
  /** The first failure of a file since it was last well. */
  onFailed(name: string, error: unknown): void;
  /** What is there was listed, and so many that were there are not any more; null: it did not say. */
  onLooked(lost: number | null, error: unknown): void;
  /** Lets the connections to the storage go. */
  close(): void;
}

/**
 * Copies files of the audit log to an archive once they are put aside. The index has a file only after the storage told its
 * length and both checksums of what it holds.
 */
export class AuditArchive {
  readonly #options: AuditArchiveOptions;
  readonly #queue: UploadQueue;
  readonly #closing = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #untold: Batch = NOTHING;
  #cancelTelling: (() => void) | null = null;
  #stopWatching = (): void => {};

  constructor(options: AuditArchiveOptions) {
    this.#options = options;
    const onArchived = (name: string, bytes: number): void => {
      options.onArchived(name, bytes);
      this.#untold = { files: this.#untold.files + 1, bytes: this.#untold.bytes + bytes };
      this.#cancelTelling ??= options.clock.after(TOLD_EVERY_MS, () => this.tell(), { isIdle: true });
    };
    this.#queue = new UploadQueue(options, sourceOf({ ...options, onArchived }));
  }

  /** Begins with those that are not in the archive yet. Rejects where the folder of the log cannot be read. */
  follow(): Promise<void> {
    this.#following = this.#follow();
    return this.#following;
  }

  get load(): { readonly archived: number; readonly waiting: number; readonly failing: number } {
    return { ...this.#queue.load, archived: this.#options.index.size };
  }

  /** Tells what is not told yet. */
  tell(): void {
    this.#cancelTelling?.();
    this.#cancelTelling = null;
    const batch = this.#untold;
    this.#untold = NOTHING;
    if (batch.files > 0) this.#options.onTold(batch);
  }

  /** Ends what goes on, soon: the next start goes on with it. */
  async close(): Promise<void> {
    this.#cancelTelling?.();
    this.#stopWatching();
    this.#closing.abort(new Error("the appliance closes"));
    await this.#following.catch(() => undefined); // whoever asked is told
    await this.#queue.close();
    this.#options.close();
  }

  async #follow(): Promise<void> {
    const { dir, onLooked } = this.#options;
    this.#watch();
    try {
      onLooked(await this.#look(), null);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      onLooked(null, error);
    }
    for (const { path } of await asideFiles(dir)) this.#queue.add(basename(path));
  }

  /** Commands of other processes put files aside too. */
  #watch(): void {
    try {
      const watcher = watch(this.#options.dir, { persistent: false }, (_event, name) => {
        if (name !== null && isAside(name)) this.#queue.add(name);
      });
      // Without it they are found at the next start.
      watcher.on("error", () => watcher.close());
      this.#stopWatching = () => watcher.close();
    } catch {
      // Likewise.
    }
  }

  /** What is there no longer, or with another length, is sent again while it is here. */
  async #look(): Promise<number> {
    const { bucket, index, prefix } = this.#options;
    // First: what is stored while the archive is asked may not be in its answer.
    const known = [...index.ids()];
    const there = new Set<string>();
    for await (const page of bucket.list(prefix, this.#closing.signal)) {
      for (const { key, bytes } of page) there.add(knownOf(key, bytes));
    }
    let lost = 0;
    for (const name of known) {
      if (there.has((await index.get(name)) ?? "")) continue;
      await index.remove(name);
      lost++;
    }
    return lost;
  }
}

function sourceOf(options: AuditArchiveOptions): UploadSource {
  const { bucket, index, dir, prefix, partBytes, seal, onArchived, onFailed } = options;
  return {
    async files(name) {
      const path = join(dir, name);
      // Deleted by hand, or as the time for which it was kept was over in another version.
      if (!existsSync(path)) return null;
      if (seal === null) return [{ path, key: prefix + name }];
      await sealCopy(path, seal.copy, seal.key);
      return [{ path: seal.copy, key: prefix + name + SEALED }];
    },
    async stored(name, files, signal) {
      for (const { path, key, bytes } of files) {
        await confirmFile(bucket, key, path, signal, partBytes);
        await index.add(name, knownOf(key, bytes));
        onArchived(name, bytes);
      }
      if (seal !== null) await rm(seal.copy, { force: true });
    },
    isHere: (name) => existsSync(join(dir, name)),
    onFailed,
  };
}

/** What the index says of a file: as what it is there, and how long it is. */
function knownOf(key: string, bytes: number): string {
  return `${key} ${bytes}\n`;
}
