import type { FileHandle } from "node:fs/promises";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";

/** Where lines go. `write` resolves once they are handed over, and rejects when they may not have arrived. */
export interface AuditSink {
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

/** Which file it is, whatever its name is by now. */
interface FileIdentity {
  readonly ino: number;
  readonly dev: number;
}

/**
 * Appends to a file that only its owner can read, opened at the first write, and anew where the name leads to another
 * file by then: it was removed, or a rotation moved it away.
 */
export class FileSink implements AuditSink {
  readonly #path: string;
  #file: FileHandle | null = null;
  #identity: FileIdentity | null = null;
  /** A line may be half written, by us on a full disk or by a process that was killed. */
  #mayBeTorn = true;

  constructor(path: string) {
    this.#path = path;
  }

  async write(lines: string): Promise<void> {
    const file = await this.#current();
    const start = this.#mayBeTorn && (await endsInsideLine(file)) ? "\n" : "";
    this.#mayBeTorn = true;
    await append(file, Buffer.from(start + lines));
    this.#mayBeTorn = false;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** The file that has the name now. */
  async #current(): Promise<FileHandle> {
    if (this.#file !== null) {
      const named = await identityOf(this.#path);
      if (named !== null && named.ino === this.#identity?.ino && named.dev === this.#identity.dev) {
        return this.#file;
      }
      // What cannot be flushed of a file that nobody finds any more is no reason not to write to the next.
      await this.close().catch(() => undefined);
    }
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = await open(this.#path, "a+", 0o600);
    this.#identity = await file.stat();
    this.#file = file;
    this.#mayBeTorn = true;
    return this.#file;
  }
}

/** All or, where the disk is full, nothing: what was begun is cut off again, so that no line is torn or there twice. */
async function append(file: FileHandle, bytes: Buffer): Promise<void> {
  const { size } = await file.stat();
  let written = 0;
  try {
    while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
  } catch (error) {
    // Where a command of ours appended meanwhile, its lines stay.
    if (written > 0 && (await file.stat()).size === size + written) await file.truncate(size);
    throw error;
  }
}

async function identityOf(path: string): Promise<FileIdentity | null> {
  try {
    return await stat(path);
  } catch {
    return null;
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
