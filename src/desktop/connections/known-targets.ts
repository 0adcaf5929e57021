import * as z from "zod";
import { FileError, JsonFile } from "../../platform/json-file.ts";
import { LinkError } from "../error.ts";
import { placeWithoutPath } from "./target-place.ts";

const fileSchema = z.object({
  version: z.literal(1),
  /** SHA-256 of certificate or key, by "host:port" */
  targets: z.record(z.string(), z.string()),
});

type File = z.infer<typeof fileSchema>;

/** Where fingerprints outlast the process, by place: a file, or what nodes share. */
export interface IdentityTable {
  /** All that are known now. */
  readonly all: ReadonlyMap<string, string>;
  /** Whether nothing was known of the place before. Rejects with LinkError where it cannot be kept. */
  set(place: string, fingerprint: string): Promise<boolean>;
  remove(place: string): Promise<void>;
}

/** Fingerprints of the targets that proved who they are before. */
export class KnownTargets {
  readonly #table: IdentityTable;
  /** Places that were believed by what they showed first, in this process. */
  readonly #new = new Set<string>();
  /** What places showed last that was not believed, in this process. */
  readonly #doubted = new Map<string, string>();

  constructor(table: IdentityTable) {
    this.#table = table;
  }

  /** Of a JSON file of mode 0600, moved into place whole. Throws where the file is there and is none of ours. */
  static async open(path: string): Promise<KnownTargets> {
    return new KnownTargets(await FileTable.open(path));
  }

  /** As it was last seen; undefined for one that never proved itself. */
  fingerprintOf(place: string): string | undefined {
    return this.#table.all.get(place);
  }

  /** All that are known now, by place. */
  get all(): ReadonlyMap<string, string> {
    return this.#table.all;
  }

  async remember(place: string, fingerprint: string): Promise<void> {
    if (await this.#table.set(place, fingerprint)) this.#new.add(place);
  }

  /** Whether it was believed at first sight, in this process. */
  isNew(place: string): boolean {
    return this.#new.has(place);
  }

  /** Another one was shown at a place than is known of it, and not believed. */
  doubt(place: string, fingerprint: string): void {
    this.#doubted.set(place, fingerprint);
  }

  /** Remembers what a place showed last and was not believed; false where that was another one. */
  async trustShown(place: string, fingerprint: string): Promise<boolean> {
    if (this.#doubted.get(place) !== fingerprint) return false;
    this.#doubted.delete(place);
    await this.remember(place, fingerprint);
    return true;
  }

  /** The next one that is seen there is believed; false where none was known. */
  async forget(place: string): Promise<boolean> {
    if (!this.#table.all.has(place)) return false;
    await this.#table.remove(place);
    return true;
  }
}

/** As the file was when it was opened, and as this process changed it. What another process has added meanwhile stays. */
class FileTable implements IdentityTable {
  readonly #file: JsonFile<File>;
  #fingerprints: ReadonlyMap<string, string>;

  private constructor(file: JsonFile<File>, fingerprints: ReadonlyMap<string, string>) {
    this.#file = file;
    this.#fingerprints = fingerprints;
  }

  static async open(path: string): Promise<FileTable> {
    const file = new JsonFile(path, "a file of known targets", fileSchema);
    const kept = await read(file);
    const known = withoutPaths(kept);
    if ([...known.keys()].some((place) => !kept.has(place))) {
      await file.write(async () => asFile(withoutPaths(await read(file))));
    }
    return new FileTable(file, known);
  }

  get all(): ReadonlyMap<string, string> {
    return this.#fingerprints;
  }

  async set(place: string, fingerprint: string): Promise<boolean> {
    const isFirst = !this.#fingerprints.has(place);
    this.#fingerprints = new Map(this.#fingerprints).set(place, fingerprint);
    await this.#change((known) => known.set(place, fingerprint));
    return isFirst;
  }

  remove(place: string): Promise<void> {
    const left = new Map(this.#fingerprints);
    left.delete(place);
    this.#fingerprints = left;
    return this.#change((known) => known.delete(place));
  }

  #change(change: (known: Map<string, string>) => void): Promise<void> {
    return this.#file.write(async () => {
      const merged = withoutPaths(await read(this.#file));
      change(merged);
      return asFile(merged);
    });
  }
}

/** Older files name paths, which may hold a token. */
function withoutPaths(targets: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...targets].map(([place, fingerprint]) => [placeWithoutPath(place), fingerprint]));
}

function asFile(targets: ReadonlyMap<string, string>): File {
  return { version: 1, targets: Object.fromEntries(targets) };
}

async function read(file: JsonFile<File>): Promise<Map<string, string>> {
  try {
    const kept = await file.read();
    return new Map(Object.entries(kept?.targets ?? {}));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new LinkError("refused", error.message, { isFinal: true });
  }
}
