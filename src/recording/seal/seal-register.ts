import { appendFile, readFile } from "node:fs/promises";
import { JsonRecord } from "../format/json-record.ts";
import { RecordingError } from "../library/error.ts";
import type { Signer } from "./signing-key.ts";

const OWNER_ONLY = 0o600;
/** A line is a few hundred bytes; so many recordings are never kept. */
const MAX_REGISTER_BYTES = 256 * 1024 * 1024;

/**
 * Which recordings were sealed: a file beside them that only grows, one signed line each. Who removes a seal, or cuts a
 * recording and removes its seal, leaves a line that says so.
 */
export class SealRegister {
  readonly #path: string;
  readonly #signer: Signer;

  constructor(path: string, signer: Signer) {
    this.#path = path;
    this.#signer = signer;
  }

  /** Notes that a recording whose chain ends in `hash` was sealed. */
  async add(id: string, hash: string): Promise<void> {
    const signature = this.#signer.sign(signedBytes(id, hash)).toString("base64");
    // A crash may have cut the line before off: this one begins on a line of its own.
    await appendFile(this.#path, `\n${JSON.stringify({ id, hash, signature })}\n`, { mode: OWNER_ONLY });
  }

  /**
   * Whether a recording was sealed, as far as the register tells. A line that is not ours, or was cut off by a crash, is
   * no line. Throws RecordingError too_large.
   */
  async has(id: string): Promise<boolean> {
    let text: string;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
      throw error;
    }
    if (text.length > MAX_REGISTER_BYTES) {
      throw new RecordingError("too_large", `the register of seals has ${text.length} characters`);
    }
    const name = `{"id":${JSON.stringify(id)},`;
    return text.split("\n").some((line) => line.startsWith(name) && this.#isOurs(line));
  }

  #isOurs(line: string): boolean {
    try {
      const entry = JsonRecord.parse(line, "a line of the register of seals");
      const signature = Buffer.from(entry.text("signature"), "base64");
      return this.#signer.isOurs(signedBytes(entry.text("id"), entry.text("hash")), signature);
    } catch (error) {
      if (error instanceof RecordingError) return false;
      throw error;
    }
  }
}

function signedBytes(id: string, hash: string): Buffer {
  return Buffer.from(`overlay-companion sealed ${id} ${hash}`);
}
