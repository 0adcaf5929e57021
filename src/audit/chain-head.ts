import type { FileHandle } from "node:fs/promises";
import { open, readFile } from "node:fs/promises";
import { createPrivateFile } from "../platform/private-file.ts";
import { CHAIN_START, type ChainState } from "./chain.ts";
import type { ChainKey } from "./chain-key.ts";

const SEQ_DIGITS = 15;
const DIGEST_LETTERS = 43;
const HEAD = /^(\d{15}) ([\w-]{43}) ([\w-]{43})\n$/;

/**
 * `audit.head`: the number and the digest of the newest line, with an HMAC, so that lines cut off the end are missed.
 * It always has the same length and is written over in place, which takes no room on a full disk.
 */
export class ChainHead {
  readonly #path: string;
  readonly #key: ChainKey;
  #file: FileHandle | null = null;

  constructor(path: string, key: ChainKey) {
    this.#path = path;
    this.#key = key;
  }

  /** Makes it where there is none; what is written afterwards needs no room. */
  async open(): Promise<void> {
    if (this.#file !== null) return;
    await createPrivateFile(this.#path, headText(CHAIN_START, this.#key));
    this.#file = await open(this.#path, "r+");
  }

  async write(state: ChainState): Promise<void> {
    if (this.#file === null) throw new Error("the head is not open");
    const text = Buffer.from(headText(state, this.#key));
    const { bytesWritten } = await this.#file.write(text, 0, text.length, 0);
    if (bytesWritten < text.length) throw new Error(`${this.#path} was written in part: is the disk full?`);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}

/** null where there is none; `false` where it is not as it was written, or under another key. */
export async function readHead(path: string, key: ChainKey): Promise<ChainState | null | false> {
  let text: string;
  try {
    text = await readFile(path, "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  const found = HEAD.exec(text);
  if (found === null) return false;
  const seq = Number(found[1]);
  const state = seq === 0 ? CHAIN_START : { seq, digest: found[2] ?? "" };
  return headText(state, key) === text ? state : false;
}

function headText({ seq, digest }: ChainState, key: ChainKey): string {
  const told = `${String(seq).padStart(SEQ_DIGITS, "0")} ${digest.padEnd(DIGEST_LETTERS, "-")}`;
  return `${told} ${key.macOf(`head ${told}`, "utf8")}\n`;
}
