import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Begins the name of what is being written; nothing that is archived is called so. */
const DRAFT = ".new-";
/** Begins the name of what says that something is being deleted there. */
const DELETED = ".deleted-";

/**
 * What an archive surely has, and what has to be known of each without asking it: a file for each, `FOLDER/PLACE/ID`. Where one
 * is missing the archive is asked again, and nothing is sent twice. Other places than the configured one have folders of their
 * own.
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
    const own = folderOf(folder, place);
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

  /** What is known of it; null: it is not there, or nothing more is known of it. */
  async get(id: string): Promise<string | null> {
    if (!this.#ids.has(id)) return null;
    const text = await readFile(join(this.#folder, id), "utf8").catch(() => "");
    return text === "" ? null : text;
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
  async add(id: string, known: string): Promise<void> {
    const draft = join(this.#folder, DRAFT + id);
    await writeFile(draft, known, { mode: 0o600 });
    await rename(draft, join(this.#folder, id));
    this.#ids.add(id);
  }

  async remove(id: string): Promise<void> {
    this.#ids.delete(id);
    await rm(join(this.#folder, id), { force: true });
  }
}

/** Whether the index of a place has it by now, whichever process put it there. */
export async function isArchived(folder: string, place: string, id: string): Promise<boolean> {
  return access(join(folderOf(folder, place), id)).then(
    () => true,
    () => false,
  );
}

function folderOf(folder: string, place: string): string {
  return join(folder, createHash("sha256").update(place).digest("hex").slice(0, 16));
}
