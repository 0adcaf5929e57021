import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { SIGNATURE_BYTES, type Signer } from "../seal/signing-key.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Of a recording's folder. */
const FILE = "words.index";
const DRAFT = "words.index.draft";
const MAGIC = 0x4f435749;
const VERSION = 1;
const HEAD_BYTES = 4 + 4 + 4 + 32;
/** An index that would be larger is not kept: the recording is read anew. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Keeps the index of words of a sealed recording beside it. It is made of the recording and says nothing of its own: it
 * may be deleted at any time. "OCWI", u32 version, u32 length once inflated, SHA-256 of the recording's last hash and the
 * deflated index, the deflated index, a signature of the SHA-256.
 */
export async function writeWordIndex(
  folder: string,
  sealedHash: string,
  index: Buffer,
  signer: Signer,
): Promise<number> {
  const body = await deflate(index, { level: 9 });
  const hash = hashOf(sealedHash, body);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(MAGIC, 0);
  head.writeUInt32BE(VERSION, 4);
  head.writeUInt32BE(index.length, 8);
  hash.copy(head, 12);
  const bytes = Buffer.concat([head, body, signer.sign(hash)]);
  await writeFile(join(folder, DRAFT), bytes, { mode: 0o600 });
  await rename(join(folder, DRAFT), join(folder, FILE));
  return bytes.length;
}

/** null where there is none that this appliance made of the recording as it is sealed. */
export async function readWordIndex(
  folder: string,
  sealedHash: string,
  signer: Signer,
): Promise<Buffer | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, FILE));
  } catch {
    return null;
  }
  if (bytes.length < HEAD_BYTES + SIGNATURE_BYTES) return null;
  if (bytes.readUInt32BE(0) !== MAGIC || bytes.readUInt32BE(4) !== VERSION) return null;
  const rawBytes = bytes.readUInt32BE(8);
  const body = bytes.subarray(HEAD_BYTES, bytes.length - SIGNATURE_BYTES);
  const hash = hashOf(sealedHash, body);
  const isOurs =
    hash.equals(bytes.subarray(12, HEAD_BYTES)) &&
    signer.isOurs(hash, bytes.subarray(bytes.length - SIGNATURE_BYTES));
  if (!isOurs || rawBytes === 0 || rawBytes > MOST_BYTES) return null;
  try {
    return await inflate(body, { maxOutputLength: rawBytes });
  } catch {
    return null;
  }
}

function hashOf(sealedHash: string, body: Uint8Array): Buffer {
  return createHash("sha256").update(sealedHash).update(body).digest();
}
