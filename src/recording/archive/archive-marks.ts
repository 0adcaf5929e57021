import { createHash } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Which recordings an archive has: an empty file for each, `FOLDER/PLACE/ID`. Where one is missing the archive is asked again,
 * and nothing is sent twice. Other places than the configured one have folders of their own.
 */
export class ArchiveMarks {
  readonly #folder: string;
  readonly #ids: Set<string>;

  private constructor(folder: string, ids: Set<string>) {
    this.#folder = folder;
    this.#ids = ids;
  }

  /** `place`: where the archive is; its name is a hash of it. */
  static async open(folder: string, place: string): Promise<ArchiveMarks> {
    const own = join(folder, createHash("sha256").update(place).digest("hex").slice(0, 16));
    await mkdir(own, { recursive: true, mode: 0o700 });
    return new ArchiveMarks(own, new Set(await readdir(own)));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  async add(id: string): Promise<void> {
    await writeFile(join(this.#folder, id), "", { mode: 0o600 });
    this.#ids.add(id);
  }

  async remove(id: string): Promise<void> {
    this.#ids.delete(id);
    await rm(join(this.#folder, id), { force: true });
  }
}
