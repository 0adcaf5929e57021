import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { RefusedError } from "../error.ts";

/** What has to stay free on the disk. */
const SPARE_BYTES = 256 * 1024 * 1024;

/** Throws RefusedError too_many where the disk has no room for so many bytes more. */
export async function checkDisk(folder: string, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize - SPARE_BYTES >= bytes) return;
  throw new RefusedError("too_many", `got ${bytes} bytes, more than the server's disk has room for`);
}

/**
 * A file on its way to a desktop, on the disk under no name: nobody else opens it, and it is gone with this process,
 * however that ends.
 */
export class HeldFile {
  readonly name: string;
  readonly size: number;
  readonly #file: FileHandle;
  #received = 0;
  #taken = 0;
  #isClosed = false;
  #isWriting = false;

  private constructor(name: string, size: number, file: FileHandle) {
    this.name = name;
    this.size = size;
    this.#file = file;
  }

  static async open(folder: string, name: string, size: number): Promise<HeldFile> {
    const path = join(folder, `${randomBytes(16).toString("hex")}.part`);
    const file = await open(path, "wx+", 0o600);
    await rm(path);
    return new HeldFile(name, size, file);
  }

  /** How many bytes are here, from the beginning. */
  get received(): number {
    return this.#received;
  }

  /** How far the desktop has read. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes the next part, which begins where the one before ended. Throws RefusedError invalid_parameters for one that
   * begins elsewhere or is longer than what is missing, too_many while another one comes.
   */
  async write(offset: number, parts: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#isWriting) throw new RefusedError("too_many", "another part of this file is being sent");
    if (offset !== this.#received) {
      throw new RefusedError(
        "invalid_parameters",
        `got a part at ${offset}, expected it at ${this.#received}: that many bytes are here`,
      );
    }
    this.#isWriting = true;
    try {
      for await (const part of parts) {
        this.#check();
        if (this.#received + part.length > this.size) {
          throw new RefusedError(
            "invalid_parameters",
            `got more than the ${this.size} bytes that the file was said to have`,
          );
        }
        await this.#writeWhole(part);
      }
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeWhole(part: Uint8Array): Promise<void> {
    for (let at = 0; at < part.length; ) {
      const { bytesWritten } = await this.#file.write(part, at, part.length - at, this.#received);
      at += bytesWritten;
      this.#received += bytesWritten;
    }
  }

  /** Bytes for the desktop; null where they cannot be had. */
  async read(offset: number, bytes: number): Promise<Uint8Array | null> {
    if (this.#isClosed || offset + bytes > this.#received) return null;
    const to = new Uint8Array(bytes);
    let at = 0;
    while (at < bytes) {
      const { bytesRead } = await this.#file.read(to, at, bytes - at, offset + at);
      if (bytesRead === 0) return null;
      at += bytesRead;
    }
    this.#taken = Math.max(this.#taken, offset + bytes);
    return to;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close().catch(() => undefined); // it has no name: there is nothing to clean up
  }

  #check(): void {
    if (this.#isClosed) throw new RefusedError("cancelled", "the sending of this file was taken back");
  }
}
