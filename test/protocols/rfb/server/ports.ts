import {
  createCipheriv,
  createHash,
  createPublicKey,
  constants as cryptoConstants,
  publicEncrypt,
} from "node:crypto";
import { constants, deflateRawSync, deflateSync, inflateSync } from "node:zlib";
import type { SecurityCrypto } from "../../../../src/protocols/platform.ts";
import type { RfbServerPorts } from "../../../../src/protocols/rfb/server/rfb-server.ts";

/** 1, 2, … 16: the challenge every test gets. */
export const CHALLENGE = Uint8Array.from({ length: 16 }, (_, i) => i + 1);

/** Ports on Node's own one-shot functions: another road than the product's. */
export const ports: RfbServerPorts = {
  deflate: {
    zlib: (input, level) => deflateSync(input, { level, finishFlush: constants.Z_SYNC_FLUSH }),
    rawSegment: (input, level) => deflateRawSync(input, { level, finishFlush: constants.Z_SYNC_FLUSH }),
  },
  inflate: () => ({
    inflate(input, output) {
      const bytes = inflateSync(input, {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: output.length,
      });
      output.set(bytes);
      return bytes.length;
    },
    reset() {},
    close() {},
  }),
  jpeg: {
    size: () => {
      throw new Error("no JPEG in these tests");
    },
    decode: () => {
      throw new Error("no JPEG in these tests");
    },
    encode: () => {
      throw new Error("no JPEG in these tests");
    },
  },
  crypto: {
    desEcb(key, data) {
      const cipher = createCipheriv("des-ede3-ecb", Buffer.concat([key, key, key]), null).setAutoPadding(
        false,
      );
      return Buffer.concat([cipher.update(data), cipher.final()]);
    },
    randomBytes: (count) => CHALLENGE.slice(0, count),
  },
};

function cipher(name: string, key: Uint8Array, iv: Uint8Array | null, data: Uint8Array): Uint8Array {
  const aes = createCipheriv(`aes-${key.length * 8}-${name}`, key, iv).setAutoPadding(false);
  return Buffer.concat([aes.update(data), aes.final()]);
}

/** The primitives of the security types, on Node's own. */
export const securityCrypto: SecurityCrypto = {
  ...ports.crypto,
  hash: (name, data) => createHash(name).update(data).digest(),
  aesEcb: (key, data) => cipher("ecb", key, null, data),
  aesCbc: (key, iv, data) => cipher("cbc", key, iv, data),
  aesCtr: (key, counter, data) => cipher("ctr", key, counter, data),
  rsaEncrypt({ modulus, exponent }, data) {
    const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
    const jwk = { kty: "RSA", n: base64url(modulus), e: base64url(exponent) };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    return publicEncrypt({ key, padding: cryptoConstants.RSA_PKCS1_PADDING }, data);
  },
};
