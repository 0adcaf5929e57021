import { createCipheriv, createDecipheriv } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { hashOfFile } from "../../storage/piece.ts";
import type { ChainKey } from "../chain-key.ts";
import { AuditError } from "../error.ts";

/** Ends the name of a copy that was encrypted before it left. */
export const SEALED = ".enc";

const MAGIC = Buffer.from("overlay-companion audit copy 1\n");
const SALT_BYTES = 32;
const HEADER_BYTES = MAGIC.length + SALT_BYTES;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
/** No key is used for two texts: each is made of what is encrypted. */
const NONCE = Buffer.alloc(12);

/**
 * Writes a copy of a file of the log that only its secret opens:
 *
 *     magic, 31 bytes | salt, 32 | AES-256-GCM of the file | tag, 16
 *
 * The salt is an HMAC of what the file holds, and the key is made of secret and salt. So the same file always becomes the same
 * copy, and an upload that was cut off goes on with one that is made anew.
 */
export async function sealCopy(path: string, copy: string, key: ChainKey): Promise<void> {
  const salt = Buffer.from(key.macOf(`copy ${await hashOf(path)}`, "utf8"), "base64url");
  const cipher = createCipheriv(CIPHER, key.copyKey(salt), NONCE);
  async function* sealed(): AsyncGenerator<Buffer> {
    yield Buffer.concat([MAGIC, salt]);
    for await (const chunk of createReadStream(path)) yield cipher.update(chunk);
    yield cipher.final();
    yield cipher.getAuthTag();
  }
  await pipeline(sealed, createWriteStream(copy, { mode: 0o600 }));
}

/**
 * What such a copy holds, as latin1; it is as it was encrypted only if the end is reached. Throws AuditError damaged for a copy
 * that is not, or under another secret.
 */
export async function* openCopy(path: string, key: ChainKey): AsyncGenerator<string> {
  const { salt, tag, end } = await frameOf(path);
  const decipher = createDecipheriv(CIPHER, key.copyKey(salt), NONCE).setAuthTag(tag);
  for await (const chunk of createReadStream(path, { start: HEADER_BYTES, end: end - 1 })) {
    yield decipher.update(chunk).toString("latin1");
  }
  try {
    decipher.final();
  } catch {
    throw new AuditError("damaged", "the copy is not as it was encrypted, or under another key");
  }
}

async function frameOf(path: string) {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const end = size - TAG_BYTES;
    const header = Buffer.alloc(HEADER_BYTES);
    const tag = Buffer.alloc(TAG_BYTES);
    if (end > HEADER_BYTES) {
      await file.read(header, 0, HEADER_BYTES, 0);
      await file.read(tag, 0, TAG_BYTES, end);
    }
    if (!header.subarray(0, MAGIC.length).equals(MAGIC)) {
      throw new AuditError("damaged", `got ${size} bytes of something else, expected an encrypted copy`);
    }
    return { salt: header.subarray(MAGIC.length), tag, end };
  } finally {
    await file.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    return await hashOfFile(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}
