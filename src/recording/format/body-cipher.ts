import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { RecordingError } from "../library/error.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const CIPHER_EXTRA_BYTES = NONCE_BYTES + TAG_BYTES;
export const CIPHER_KEY_BYTES = 32;

/** Keeps the bodies of a recording's blocks secret: AES-256-GCM under a key of its own, bound to the block's number. */
export class BodyCipher {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** nonce, ciphertext, tag. */
  seal(body: Uint8Array, sequence: number): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(`block ${sequence}`));
    return Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws RecordingError damaged for what was changed or belongs to another block. */
  open(sealed: Uint8Array, sequence: number): Buffer {
    const end = sealed.length - TAG_BYTES;
    if (end < NONCE_BYTES) {
      throw new RecordingError(
        "damaged",
        `block ${sequence} has ${sealed.length} encrypted bytes, expected more`,
      );
    }
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`block ${sequence}`));
    decipher.setAuthTag(sealed.subarray(end));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
    } catch (cause) {
      throw new RecordingError("damaged", `block ${sequence} does not open under its key`, { cause });
    }
  }
}
