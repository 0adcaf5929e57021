import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { SIGNATURE_BYTES, type Signer } from "../seal/signing-key.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const ENDING = ".words";
const DRAFT = ".draft";
const MAGIC = 0x4f435749;
const VERSION = 1;
const FACTS_BYTES = 4 + 4 + 4;
const HASH_BYTES = 32;
/** An index that would be larger is not kept: the recording is read anew. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Keeps the indices of words of sealed recordings in a folder of their own: a file in a recording's folder would be no
 * part of what is sealed. They are made of the recordings and say nothing of their own: any may be deleted at any time.
 *
 *      0  4    "OCWI"
 *      4  u32  version
 *      8  u32  length of the index before it was deflated
 *     12  32   SHA-256 of what stands before, the last hash of the recording, and the deflated index
 *     44  …    the index, see word-index.ts, deflated
 *      …  64   signature of the SHA-256
 */
export class WordIndexFiles {
  readonly #folder: string;
  readonly #signer: Signer;

  constructor(folder: string, signer: Signer) {
    this.#folder = folder;
    this.#signer = signer;
  }

  /** `sealedHash`: of the recording's last block. */
  async write(id: string, sealedHash: string, index: Buffer): Promise<void> {
    if (index.length > MOST_BYTES) return;
    const body = await deflate(index, { level: 9 });
    const facts = Buffer.alloc(FACTS_BYTES);
    facts.writeUInt32BE(MAGIC, 0);
    facts.writeUInt32BE(VERSION, 4);
    facts.writeUInt32BE(index.length, 8);
    const hash = hashOf(facts, sealedHash, body);
    const path = this.#pathOf(id);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(path + DRAFT, Buffer.concat([facts, hash, body, this.#signer.sign(hash)]), {
      mode: 0o600,
    });
    await rename(path + DRAFT, path);
  }

  /** null where there is none that this appliance made of the recording as it is sealed. */
  async read(id: string, sealedHash: string): Promise<Buffer | null> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.#pathOf(id));
    } catch {
      return null;
    }
    const bodyAt = FACTS_BYTES + HASH_BYTES;
    const end = bytes.length - SIGNATURE_BYTES;
    if (end < bodyAt || bytes.readUInt32BE(0) !== MAGIC || bytes.readUInt32BE(4) !== VERSION) return null;
    const body = bytes.subarray(bodyAt, end);
    const rawBytes = bytes.readUInt32BE(8);
    const hash = hashOf(bytes.subarray(0, FACTS_BYTES), sealedHash, body);
    const isOurs =
      hash.equals(bytes.subarray(FACTS_BYTES, bodyAt)) && this.#signer.isOurs(hash, bytes.subarray(end));
    return isOurs && rawBytes <= MOST_BYTES
      ? inflate(body, { maxOutputLength: Math.max(1, rawBytes) })
      : null;
  }

  remove(id: string): Promise<void> {
    return rm(this.#pathOf(id), { force: true });
  }

  /** Deletes those of recordings that are there no more: their words are not to stay. */
  async sweep(ids: readonly string[]): Promise<void> {
    const there = new Set(ids.map((id) => id + ENDING));
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (name.endsWith(ENDING) && !there.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }

  #pathOf(id: string): string {
    return join(this.#folder, id + ENDING);
  }
}

function hashOf(facts: Uint8Array, sealedHash: string, body: Uint8Array): Buffer {
  return createHash("sha256").update(facts).update(sealedHash).update(body).digest();
}
