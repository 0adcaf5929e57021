import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { JsonRecord } from "../format/json-record.ts";
import { RecordingError } from "../library/error.ts";

/** What the archive has of a recording, as a list of what is there says it. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
}

export interface ArchivedRecording {
  /** All, the seal too. */
  readonly files: readonly ArchivedFile[];
  /** The text of its seal. */
  readonly seal: string;
}

/** Begins the name of what is being written; no recording has one. */
const DRAFT = ".new-";
/** Begins the name of what says that a recording is being deleted there. */
const DELETED = ".deleted-";

/**
 * Which recordings an archive has, and what has to be known to list and open them: a file for each, `FOLDER/PLACE/ID`. Where one
 * is missing the archive is asked again, and nothing is sent twice. An empty one, of an older version, says only that it is
 * there. Other places than the configured one have folders of their own.
 */
export class ArchiveIndex {
  readonly #folder: string;
  readonly #ids: Set<string>;

  private constructor(folder: string, ids: Set<string>) {
    this.#folder = folder;
    this.#ids = ids;
  }

  /** `place`: where the archive is; its name is a hash of it. */
  static async open(folder: string, place: string): Promise<ArchiveIndex> {
    const own = join(folder, createHash("sha256").update(place).digest("hex").slice(0, 16));
    await mkdir(own, { recursive: true, mode: 0o700 });
    const names = await readdir(own);
    for (const name of names) if (name.startsWith(DRAFT)) await rm(join(own, name), { force: true });
    return new ArchiveIndex(own, new Set(names.filter((name) => !name.startsWith("."))));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  ids(): IterableIterator<string> {
    return this.#ids.values();
  }

  get size(): number {
    return this.#ids.size;
  }

  /** null: it is not there, or nothing more is known of it. */
  async get(id: string): Promise<ArchivedRecording | null> {
    if (!this.#ids.has(id)) return null;
    const text = await readFile(join(this.#folder, id), "utf8").catch(() => "");
    if (text === "") return null;
    try {
      const record = JsonRecord.parse(text, "the index of the archive");
      const sizes = record.record("files");
      const files = sizes.names.map((name) => ({ name, bytes: sizes.count(name) }));
      return { files, seal: record.text("seal") };
    } catch (error) {
      // Of no use: it is written anew from what the archive has.
      if (error instanceof RecordingError) return null;
      throw error;
    }
  }

  /** Those whose deletion was begun and not ended. */
  async leaving(): Promise<string[]> {
    const names = await readdir(this.#folder);
    return names.filter((name) => name.startsWith(DELETED)).map((name) => name.slice(DELETED.length));
  }

  /** It is no longer there for anybody; what is left of it is deleted, now or after a crash. */
  async leave(id: string): Promise<void> {
    await writeFile(join(this.#folder, DELETED + id), "", { mode: 0o600 });
    await this.remove(id);
  }

  async left(id: string): Promise<void> {
    await rm(join(this.#folder, DELETED + id), { force: true });
  }

  /** Puts it there at once: there is a whole one or none. */
  async add(id: string, { files, seal }: ArchivedRecording): Promise<void> {
    const draft = join(this.#folder, DRAFT + id);
    const sizes = Object.fromEntries(files.map(({ name, bytes }) => [name, bytes]));
    await writeFile(draft, JSON.stringify({ files: sizes, seal }), { mode: 0o600 });
    await rename(draft, join(this.#folder, id));
    this.#ids.add(id);
  }

  async remove(id: string): Promise<void> {
    this.#ids.delete(id);
    await rm(join(this.#folder, id), { force: true });
  }
}
