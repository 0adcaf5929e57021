import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { RecordingError } from "../library/error.ts";
import { SIGNATURE_BYTES, type Signer } from "../seal/signing-key.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const ENDING = ".words";
const DRAFT = ".draft";
const MAGIC = 0x4f435749;
const VERSION = 2;
const HEAD_BYTES = 4 + 4 + 4;
const HASH_BYTES = 32;
const PART_BYTES = 4 + 4 + HASH_BYTES;
/** An index with more or longer parts is not kept: the recording is read anew. */
const MOST_PARTS = 4096;
const MOST_PART_BYTES = 16 * 1024 * 1024;

/** An index of words that is kept: its parts, in order, are read one by one. */
export interface KeptIndex {
  readonly parts: number;
  /** Throws RecordingError damaged where it is not what was written. */
  read(part: number): Promise<Buffer>;
}

/**
 * Keeps the indices of words of sealed recordings in a folder of their own: a file in a recording's folder would be no
 * part of what is sealed. They are made of the recordings and say nothing of their own: any may be deleted at any time.
 *
 *      0  4    "OCWI"
 *      4  u32  version
 *      8  u32  parts
 *     12  …    for each part: u32 its length, see word-index.ts; u32 its length deflated; SHA-256 of it deflated
 *      …  64   signature of the SHA-256 of what stands before and the last hash of the recording
 *      …  …    the parts, deflated
 */
export class WordIndexFiles {
  readonly #folder: string;
  readonly #signer: Signer;

  constructor(folder: string, signer: Signer) {
    this.#folder = folder;
    this.#signer = signer;
  }

  /** `sealedHash`: of the recording's last block. */
  async write(id: string, sealedHash: string, parts: readonly Buffer[]): Promise<void> {
    if (parts.length > MOST_PARTS || parts.some(({ length }) => length > MOST_PART_BYTES)) return;
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(MAGIC, 0);
    head.writeUInt32BE(VERSION, 4);
    head.writeUInt32BE(parts.length, 8);
    const stored: Buffer[] = [];
    const rows: Buffer[] = [];
    for (const part of parts) {
      const body = await deflate(part, { level: 9 });
      const row = Buffer.alloc(8);
      row.writeUInt32BE(part.length, 0);
      row.writeUInt32BE(body.length, 4);
      rows.push(row, hashOf(body));
      stored.push(body);
    }
    const table = Buffer.concat([head, ...rows]);
    const signature = this.#signer.sign(hashOf(table, sealedHash));
    const path = this.#pathOf(id);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(path + DRAFT, Buffer.concat([table, signature, ...stored]), { mode: 0o600 });
    await rename(path + DRAFT, path);
  }

  /** null where there is none that this appliance made of the recording as it is sealed. Throws RecordingError damaged. */
  async read(id: string, sealedHash: string): Promise<KeptIndex | null> {
    const path = this.#pathOf(id);
    const head = await readAt(path, 0, HEAD_BYTES);
    if (head === null || head.readUInt32BE(0) !== MAGIC || head.readUInt32BE(4) !== VERSION) return null;
    const parts = head.readUInt32BE(8);
    if (parts > MOST_PARTS) return null;
    const tableBytes = HEAD_BYTES + PART_BYTES * parts;
    const begin = await readAt(path, 0, tableBytes + SIGNATURE_BYTES);
    if (begin === null) return null;
    const table = begin.subarray(0, tableBytes);
    if (!this.#signer.isOurs(hashOf(table, sealedHash), begin.subarray(tableBytes))) return null;
    let next = begin.length;
    const places = Array.from({ length: parts }, (_, i) => {
      const row = table.subarray(HEAD_BYTES + PART_BYTES * i, HEAD_BYTES + PART_BYTES * (i + 1));
      const place = {
        at: next,
        rawBytes: row.readUInt32BE(0),
        bytes: row.readUInt32BE(4),
        hash: row.subarray(8),
      };
      next += place.bytes;
      return place;
    });
    const stored = async (part: number): Promise<{ readonly body: Buffer; readonly rawBytes: number }> => {
      const place = places[part];
      const body = place === undefined ? null : await readAt(path, place.at, place.bytes);
      if (place !== undefined && body !== null && hashOf(body).equals(place.hash)) {
        return { body, rawBytes: place.rawBytes };
      }
      throw new RecordingError("damaged", `part ${part} of the words of ${id} is not what was written`);
    };
    // Whoever searches shall not find out in the middle.
    for (const part of places.keys()) await stored(part);
    return {
      parts,
      async read(part) {
        const { body, rawBytes } = await stored(part);
        return inflate(body, { maxOutputLength: Math.max(1, rawBytes) });
      },
    };
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

function hashOf(bytes: Uint8Array, sealedHash = ""): Buffer {
  return createHash("sha256").update(bytes).update(sealedHash).digest();
}

/** null where there are not so many bytes. */
async function readAt(path: string, at: number, length: number): Promise<Buffer | null> {
  try {
    const file = await open(path);
    try {
      if (at + length > (await file.stat()).size) return null;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
      return bytesRead === length ? buffer : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
