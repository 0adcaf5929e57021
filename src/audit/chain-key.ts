import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateFile } from "../platform/private-file.ts";
import { AuditError } from "./error.ts";

const KEY_BYTES = 32;
/** RFC 8410 section 7: what stands before the 32 bytes of an Ed25519 private key in PKCS #8. */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Binds the lines of an audit log together (HMAC-SHA256) and signs its checkpoints (Ed25519): keys of one secret. */
export class ChainKey {
  /** SPKI, PEM: who has it can check the checkpoints, and cannot make any. */
  readonly publicKey: string;
  readonly #mac: Buffer;
  readonly #copies: Buffer;
  readonly #private: KeyObject;
  readonly #public: KeyObject;

  constructor(secret: string | Buffer) {
    this.#mac = derived(secret, "audit line");
    this.#copies = derived(secret, "audit copy");
    const der = Buffer.concat([PKCS8_ED25519, derived(secret, "audit checkpoint")]);
    this.#private = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    this.#public = createPublicKey(this.#private);
    this.publicKey = this.#public.export({ type: "spki", format: "pem" }).toString();
  }

  /**
   * `given`: the secret of the configuration; without it the one of `audit.key` (0600), made at the first start. Throws
   * AuditError bad_key for a file that holds none.
   */
  static async open(dataDir: string, given: string | null): Promise<ChainKey> {
    if (given !== null) return new ChainKey(given);
    const path = join(dataDir, "audit.key");
    return ChainKey.#of(
      path,
      await createPrivateFile(path, `${randomBytes(KEY_BYTES).toString("base64url")}\n`),
    );
  }

  /** Of a copy of an `audit.key`, wherever it is. Throws AuditError bad_key for a file that holds none. */
  static async read(path: string): Promise<ChainKey> {
    return ChainKey.#of(path, await readFile(path, "utf8"));
  }

  static #of(path: string, text: string): ChainKey {
    const secret = Buffer.from(text.trim(), "base64url");
    if (secret.length !== KEY_BYTES) {
      throw new AuditError(
        "bad_key",
        `the key in ${path} has ${secret.length} bytes, expected ${KEY_BYTES}: restore it from a backup, or move it and the audit log away and begin new ones`,
      );
    }
    return new ChainKey(secret);
  }

  /** What a copy of the log is encrypted by elsewhere: another key for each salt. */
  copyKey(salt: Buffer): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#copies, salt, "overlay-companion audit copy", KEY_BYTES));
  }

  /** base64url. */
  macOf(text: string, encoding: "utf8" | "latin1"): string {
    return createHmac("sha256", this.#mac).update(text, encoding).digest("base64url");
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#private).toString("base64url");
  }

  isSigned(bytes: Buffer, signature: string): boolean {
    return verify(null, bytes, this.#public, Buffer.from(signature, "base64url"));
  }
}

function derived(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `overlay-companion ${purpose}`, KEY_BYTES));
}
