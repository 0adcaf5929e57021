import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { RefusedError } from "./error.ts";

/** A JSON file of mode 0600 in the data folder: judged by a schema, written whole and then moved into place. */
export class KeptFile<T> {
  readonly path: string;
  readonly #what: string;
  readonly #schema: z.ZodType<T>;
  #writing: Promise<void> = Promise.resolve();

  /** `what` it should be, for the error of a file that is not: "a connections file". */
  constructor(path: string, what: string, schema: z.ZodType<T>) {
    this.path = path;
    this.#what = what;
    this.#schema = schema;
  }

  /** null where there is none. Throws RefusedError invalid_parameters for a file of another kind. */
  async read(): Promise<T | null> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    }
    const parsed = this.#schema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const faults = z.prettifyError(parsed.error);
    throw new RefusedError("invalid_parameters", `${this.path} is not ${this.#what}: ${faults}`);
  }

  /** Writes what `make` gives, or resolves with, when all that was to be written before is there, or could not be. */
  write(make: () => unknown): Promise<void> {
    const write = async (): Promise<void> => {
      const text = JSON.stringify(await make(), null, 2);
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      const draft = `${this.path}.new`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.path);
    };
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Resolves when nothing is left to be written. */
  flush(): Promise<void> {
    return this.#writing;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
