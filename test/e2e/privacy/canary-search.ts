import { execFile } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { spellingsOf, spellingsOfBytes } from "./spellings.ts";
import { unpack, unpackMemory } from "./unpack.ts";

const run = promisify(execFile);

/** What is sought: a text, and what it stands for where that is kept as bytes. */
interface Sought {
  readonly text: string;
  readonly bytes?: Buffer;
}

/** Where is looked: a stream, a file of an export, files of a folder. */
export interface Place {
  readonly what: string;
  /** A text, bytes, or files by their paths. */
  readonly content: string | Buffer | readonly string[];
  /** It is no secret and stands there, so that a search that finds nothing else has looked. */
  readonly control: string;
  /** It was written out of a process. */
  readonly isMemory?: boolean;
}

/** What was found in a place: texts, and where there. */
interface Searched {
  readonly place: Place;
  readonly found: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Looks for texts in many places at once, in all spellings, also where they are packed: by one run of grep, over what is
 * there and all that was unpacked of it.
 */
export class CanarySearch {
  readonly #folder: string;
  readonly #places: Place[] = [];
  /** By the path of what is searched: its place, and where it comes from. */
  readonly #origins = new Map<string, { readonly place: Place; readonly from: string }>();

  /** `folder`: on the file system of the files that are searched, which are not copied. */
  constructor(folder: string) {
    this.#folder = join(folder, "searched");
    mkdirSync(this.#folder, { recursive: true });
  }

  add(place: Place): void {
    this.#places.push(place);
    const { what, content } = place;
    if (typeof content === "string") this.#lay(place, what, Buffer.from(content));
    else if (Buffer.isBuffer(content)) this.#lay(place, what, content);
    else for (const path of content) this.#lay(place, path, path);
  }

  /** What of them, and of the controls of all places, is in each place. */
  async find(texts: readonly Sought[]): Promise<readonly Searched[]> {
    /** Two texts may be alike in part. */
    const patterns = new Map<string, Set<string>>();
    const controls = this.#places.map(({ control }): Sought => ({ text: control }));
    for (const { text, bytes } of [...controls, ...texts]) {
      const spellings = [...spellingsOf(text), ...(bytes === undefined ? [] : spellingsOfBytes(bytes))];
      for (const one of spellings.map((bytes) => bytes.toString("latin1")))
        patterns.set(one, (patterns.get(one) ?? new Set()).add(text));
    }
    const file = `${this.#folder}.patterns`;
    writeFileSync(file, [...patterns.keys(), ""].join("\n"), "latin1");
    const all = new Map(this.#places.map((place) => [place, new Map<string, Set<string>>()]));
    for (const [path, pattern] of await grep(file, this.#folder)) {
      const origin = this.#origins.get(path);
      const meant = patterns.get(pattern);
      if (origin === undefined || meant === undefined)
        throw new Error(`grep found what nobody sought: ${path}`);
      const found = all.get(origin.place);
      for (const text of meant) found?.set(text, (found.get(text) ?? new Set()).add(origin.from));
    }
    return [...all].map(([place, found]) => ({ place, found }));
  }

  /** What is searched: bytes, or the file of a path, and beside it what is packed in it. */
  #lay(place: Place, from: string, what: Buffer | string): void {
    const path = join(this.#folder, `${this.#origins.size}`);
    if (typeof what === "string") linkSync(what, path);
    else writeFileSync(path, what);
    this.#origins.set(path, { place, from });
    const bytes = typeof what === "string" ? readFileSync(path) : what;
    const inside = place.isMemory === true ? unpackMemory(bytes) : unpack(bytes);
    if (inside.length === 0) return;
    const unpacked = `${path}.unpacked`;
    writeFileSync(unpacked, Buffer.concat(inside.flatMap((one) => [one, Buffer.from("\n")])));
    this.#origins.set(unpacked, { place, from: `${from}, unpacked` });
  }
}

/** Which patterns of a file, one a line, stand in which files of a folder. */
async function grep(patterns: string, folder: string): Promise<[path: string, pattern: string][]> {
  const { stdout } = await run("grep", ["-raoHZF", "-f", patterns, folder], {
    env: { ...process.env, LC_ALL: "C" },
    encoding: "latin1",
    maxBuffer: 1 << 28,
  }).catch((error: unknown) => {
    // So it ends where nothing was found.
    if (error instanceof Error && "code" in error && error.code === 1) return { stdout: "" };
    throw error;
  });
  return [...new Set(stdout.split("\n"))]
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf("\0");
      return [line.slice(0, at), line.slice(at + 1)];
    });
}
