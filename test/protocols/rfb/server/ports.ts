import { createCipheriv } from "node:crypto";
import { constants, deflateRawSync, deflateSync, inflateSync } from "node:zlib";
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
