import type { FileHandle } from "node:fs/promises";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";

/** Where lines go. `write` resolves once they are handed over, and rejects when they may not have arrived. */
export interface AuditSink {
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

/** Appends to a file that only its owner can read, opened at the first write. */
export class FileSink implements AuditSink {
  readonly #path: string;
  #file: FileHandle | null = null;
  /** A line may be half written, by us on a full disk or by a process that was killed. */
  #mayBeTorn = true;

  constructor(path: string) {
    this.#path = path;
  }

  async write(lines: string): Promise<void> {
    const file = this.#file ?? (await this.#open());
    const start = this.#mayBeTorn && (await endsInsideLine(file)) ? "\n" : "";
    this.#mayBeTorn = true;
    await file.appendFile(start + lines);
    this.#mayBeTorn = false;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    await file.sync();
    await file.close();
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = await open(this.#path, "a+", 0o600);
    this.#file = file;
    return file;
  }
}

/** Writes to stdout or stderr, waiting while the reader is behind; does not close it. */
export class StreamSink implements AuditSink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    // A reader that went away is told by `write`; unheard, it would end the process.
    stream.on("error", () => undefined);
  }

  write(lines: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}
