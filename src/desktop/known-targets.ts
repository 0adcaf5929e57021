import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { LinkError } from "./error.ts";

const fileSchema = z.object({
  version: z.literal(1),
  /** SHA-256 of certificate or key, by "host:port" */
  targets: z.record(z.string(), z.string()),
});

/** Fingerprints of the targets that proved who they are before: a JSON file of mode 0600, moved into place whole. */
export class KnownTargets {
  readonly #path: string;
  #fingerprints: ReadonlyMap<string, string>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, fingerprints: ReadonlyMap<string, string>) {
    this.#path = path;
    this.#fingerprints = fingerprints;
  }

  /** Throws where the file is there and is none of ours. */
  static async open(path: string): Promise<KnownTargets> {
    return new KnownTargets(path, await read(path));
  }

  get path(): string {
    return this.#path;
  }

  /** As it was last seen, in this process or when the file was opened; undefined for one that never proved itself. */
  fingerprintOf(place: string): string | undefined {
    return this.#fingerprints.get(place);
  }

  /** All that are known now, by place. */
  get all(): ReadonlyMap<string, string> {
    return this.#fingerprints;
  }

  /** What another process has added meanwhile stays. */
  remember(place: string, fingerprint: string): Promise<void> {
    this.#fingerprints = new Map(this.#fingerprints).set(place, fingerprint);
    return this.#change((known) => known.set(place, fingerprint));
  }

  /** The next one that is seen there is believed; false where none was known. */
  async forget(place: string): Promise<boolean> {
    const left = new Map(this.#fingerprints);
    const wasKnown = left.delete(place);
    this.#fingerprints = left;
    if (wasKnown) await this.#change((known) => known.delete(place));
    return wasKnown;
  }

  #change(change: (known: Map<string, string>) => void): Promise<void> {
    const write = async (): Promise<void> => {
      const merged = await read(this.#path);
      change(merged);
      const text = JSON.stringify({ version: 1, targets: Object.fromEntries(merged) }, null, 2);
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      const draft = `${this.#path}.new`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.#path);
    };
    const written = this.#writing.then(write, write);
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

async function read(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return new Map(Object.entries(parsed.data.targets));
  throw new LinkError("refused", `${path} is not a file of known targets: ${z.prettifyError(parsed.error)}`, {
    isFinal: true,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
