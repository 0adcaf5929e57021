import * as z from "zod";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** A file of ours holds something else than was expected: it is left as it is. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code = "invalid_parameters";
}

/** A JSON file of mode 0600 in the data folder: judged by a schema, replaced at once. */
export class JsonFile<T> {
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

  /** null where there is none. Throws FileError for a file of another kind. */
  async read(): Promise<T | null> {
    const text = await readPrivateFile(this.path);
    if (text === null) return null;
    const parsed = this.#schema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const faults = z.prettifyError(parsed.error);
    throw new FileError(`${this.path} is not ${this.#what}: ${faults}`);
  }

  /** Writes what `make` gives, or resolves with, when all that was to be written before is there, or could not be. */
  write(make: () => unknown): Promise<void> {
    const write = async (): Promise<void> => {
      const text = JSON.stringify(await make(), null, 2);
      await writePrivateFile(this.path, text);
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
