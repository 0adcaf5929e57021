import {
  constants,
  createCipheriv,
  createHash,
  createPublicKey,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import type { SecurityCrypto } from "../../../protocols/platform.ts";

const DES_KEY_BYTES = 8;
const DES_BLOCK_BYTES = 8;
const AES_BLOCK_BYTES = 16;

/**
 * What the security types need, from Node. OpenSSL 3 has no single DES, but triple DES with the same key three times
 * is it: encrypt, decrypt, encrypt, of which two undo each other.
 */
export const rfbCrypto: SecurityCrypto = {
  desEcb(key, data) {
    if (key.length !== DES_KEY_BYTES) throw new RangeError(`des key of ${key.length} bytes, expected 8`);
    checkBlocks("des", data, DES_BLOCK_BYTES);
    const triple = new Uint8Array(DES_KEY_BYTES * 3);
    for (let i = 0; i < 3; i++) triple.set(key, i * DES_KEY_BYTES);
    const out = encrypt("des-ede3-ecb", triple, null, data);
    triple.fill(0);
    return out;
  },

  randomBytes: (count) => randomBytes(count),

  hash: (name, data) => createHash(name).update(data).digest(),

  aesEcb(key, data) {
    checkBlocks("aes", data, AES_BLOCK_BYTES);
    return encrypt(`aes-${aesBits(key)}-ecb`, key, null, data);
  },

  aesCbc(key, iv, data) {
    checkBlocks("aes", data, AES_BLOCK_BYTES);
    return encrypt(`aes-${aesBits(key)}-cbc`, key, iv, data);
  },

  aesCtr: (key, counter, data) => encrypt(`aes-${aesBits(key)}-ctr`, key, counter, data),

  rsaEncrypt({ modulus, exponent }, data) {
    const key = createPublicKey({
      key: { kty: "RSA", n: base64url(modulus), e: base64url(exponent) },
      format: "jwk",
    });
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, data);
  },
};

function encrypt(cipherName: string, key: Uint8Array, iv: Uint8Array | null, data: Uint8Array): Uint8Array {
  const cipher = createCipheriv(cipherName, key, iv);
  cipher.setAutoPadding(false);
  const out = new Uint8Array(data.length);
  const first = cipher.update(data);
  out.set(first);
  out.set(cipher.final(), first.length);
  return out;
}

function aesBits(key: Uint8Array): 128 | 256 {
  if (key.length === 16) return 128;
  if (key.length === 32) return 256;
  throw new RangeError(`aes key of ${key.length} bytes, expected 16 or 32`);
}

function checkBlocks(name: string, data: Uint8Array, blockBytes: number): void {
  if (data.length % blockBytes === 0) return;
  throw new RangeError(`${name} data of ${data.length} bytes, expected a multiple of ${blockBytes}`);
}

/** A number without its leading zero bytes, as a JWK wants it. */
function base64url(number: Uint8Array): string {
  let start = 0;
  while (start < number.length - 1 && number[start] === 0) start++;
  return Buffer.from(number.subarray(start)).toString("base64url");
}
