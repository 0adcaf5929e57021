import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import { createPrivateFile } from "../platform/private-file.ts";
import { AuthError } from "./error.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1";

/**
 * Keeps secrets on disk: AES-256-GCM under the key of `secret.key` (0600) in the data directory. A sealed text is
 * `v1.<base64url of nonce, ciphertext and tag>` and opens only for the purpose that it was sealed for.
 */
export class SecretBox {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Makes the key at the first start. Throws AuthError bad_key for a file that holds none. */
  static async open(dataDir: string): Promise<SecretBox> {
    const path = join(dataDir, "secret.key");
    const text = await createPrivateFile(path, `${randomBytes(KEY_BYTES).toString("base64url")}\n`);
    const key = Buffer.from(text.trim(), "base64url");
    if (key.length !== KEY_BYTES) {
      throw new AuthError(
        "bad_key",
        `the key in ${path} has ${key.length} bytes, expected ${KEY_BYTES}: restore it from a backup, or remove it and enter the passwords again`,
      );
    }
    return new SecretBox(key);
  }

  /** `purpose` names the place of the secret, such as "connection:ID:password". */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString("base64url")}`;
  }

  /** Throws AuthError bad_secret for what was changed, sealed for something else or under another key. */
  open(sealed: string, purpose: string): string {
    return this.openBytes(sealed, purpose).toString("utf8");
  }

  /** The same as UTF-8, in memory of its own, which whoever asked can wipe: a string stays until it happens to be overwritten. */
  openBytes(sealed: string, purpose: string): Buffer {
    const [version, text] = sealed.split(".", 2);
    const bytes = Buffer.from(text ?? "", "base64url");
    if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) {
      throw new AuthError(
        "bad_secret",
        `the sealed text of ${purpose} is not one: expected ${VERSION}.<base64url>`,
      );
    }
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    try {
      // All came already: the mode is that of a stream. This is whether the tag is right.
      decipher.final();
      return plain;
    } catch (cause) {
      plain.fill(0);
      throw new AuthError(
        "bad_secret",
        `cannot open the secret of ${purpose}: it was changed, or sealed under another key; enter it again`,
        { cause },
      );
    }
  }
}
