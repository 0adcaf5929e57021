import { createCipheriv, randomBytes } from "node:crypto";
import type { RfbCrypto } from "../../protocols/platform.ts";

const DES_KEY_BYTES = 8;
const DES_BLOCK_BYTES = 8;

/**
 * DES and randomness from Node. OpenSSL 3 has no single DES, but triple DES with the same key three times is it:
 * encrypt, decrypt, encrypt, of which two undo each other.
 */
export const rfbCrypto: RfbCrypto = {
  desEcb(key, data) {
    if (key.length !== DES_KEY_BYTES) throw new RangeError(`des key of ${key.length} bytes, expected 8`);
    if (data.length % DES_BLOCK_BYTES !== 0) {
      throw new RangeError(`des data of ${data.length} bytes, expected a multiple of 8`);
    }
    const triple = new Uint8Array(DES_KEY_BYTES * 3);
    for (let i = 0; i < 3; i++) triple.set(key, i * DES_KEY_BYTES);
    const cipher = createCipheriv("des-ede3-ecb", triple, null);
    cipher.setAutoPadding(false);
    const out = new Uint8Array(data.length);
    const first = cipher.update(data);
    out.set(first);
    out.set(cipher.final(), first.length);
    triple.fill(0);
    return out;
  },

  randomBytes: (count) => randomBytes(count),
};
