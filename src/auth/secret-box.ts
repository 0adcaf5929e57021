import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { createPrivateFile, readPrivateFile, writePrivateFile } from "../platform/private-file.ts";
import { AuthError } from "./error.ts";

const SECRET_KEY_FILE = "secret.key";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1";

/** What the key itself is sealed for. */
const KEY_PURPOSE = "secret.key";
/** Of a key that somebody wrote no more is known than that it is long: it is made one of AES by HKDF (RFC 5869). */
const WRAPPING_INFO = "overlay-companion sealing key";

/**
 * Keeps secrets on disk: AES-256-GCM under the key of `secret.key` (0600) in the data directory. A sealed text is
 * `v1.<base64url of nonce, ciphertext and tag>` and opens only for the purpose that it was sealed for. With a sealing key of
 * the operator's the file holds its key sealed under that, a line for each sealing key that opens it.
 */
export class SecretBox {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * Makes the key at the first start. `sealingKey`: what the file is sealed by; one that is not sealed is sealed then.
   * Throws AuthError bad_key for a file that holds none, or that this does not open.
   */
  static async open(dataDir: string, sealingKey: string | null = null): Promise<SecretBox> {
    const path = join(dataDir, SECRET_KEY_FILE);
    const fresh = new SecretBox(randomBytes(KEY_BYTES));
    const { box, lines, opened } = openedBy(
      sealingKey,
      await createPrivateFile(path, fresh.#line(sealingKey)),
      path,
    );
    // Sealed for the first time; or by the newest of two, so that the other one is not needed any more.
    const isDue = opened === null || (opened === 0 && lines > 1);
    if (sealingKey !== null && isDue) await writePrivateFile(path, box.#line(sealingKey));
    return box;
  }

  /**
   * Seals the key of a data directory under another sealing key as well: both open it until a start with the new one, which
   * takes the old one away. Who runs goes on. `next` null: it lies there as it is from now on. Throws AuthError bad_key.
   */
  static async reseal(dataDir: string, sealingKey: string | null, next: string | null): Promise<void> {
    const path = join(dataDir, SECRET_KEY_FILE);
    const text = await readPrivateFile(path);
    if (text === null) throw new AuthError("bad_key", `there is no ${path}: it is made at the first start`);
    const { box } = openedBy(sealingKey, text, path);
    const old = sealingKey === null || next === null ? "" : box.#line(sealingKey);
    await writePrivateFile(path, `${box.#line(next)}${old}`);
  }

  /** By a key that somebody else keeps, 32 characters or more. */
  static by(sealingKey: string): SecretBox {
    return wrapping(sealingKey);
  }

  /** As a line of the file. */
  #line(sealingKey: string | null): string {
    const text = this.#key.toString("base64url");
    return `${sealingKey === null ? text : wrapping(sealingKey).seal(text, KEY_PURPOSE)}\n`;
  }

  /** Throws AuthError bad_key. */
  static of(text: string, path: string): SecretBox {
    const key = Buffer.from(text, "base64url");
    if (key.length === KEY_BYTES) return new SecretBox(key);
    throw new AuthError(
      "bad_key",
      `the key in ${path} has ${key.length} bytes, expected ${KEY_BYTES}: restore it from a backup, or remove it and enter the passwords again`,
    );
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

function wrapping(sealingKey: string): SecretBox {
  const key = Buffer.from(hkdfSync("sha256", sealingKey, "", WRAPPING_INFO, KEY_BYTES));
  return SecretBox.of(key.toString("base64url"), "");
}

/** `opened`: which line the sealing key opened, the newest being 0; null for a key that lies there as it is. */
function openedBy(
  sealingKey: string | null,
  text: string,
  path: string,
): { readonly box: SecretBox; readonly lines: number; readonly opened: number | null } {
  const lines = text.trim().split(/\s+/);
  const isSealed = lines[0]?.startsWith(`${VERSION}.`) === true;
  if (!isSealed) return { box: SecretBox.of(lines[0] ?? "", path), lines: lines.length, opened: null };
  if (sealingKey === null) {
    throw new AuthError(
      "bad_key",
      `${path} is sealed, expected sealing.key or sealing.command to open it by`,
    );
  }
  const by = wrapping(sealingKey);
  for (const [opened, line] of lines.entries()) {
    try {
      return { box: SecretBox.of(by.open(line, KEY_PURPOSE), path), lines: lines.length, opened };
    } catch (error) {
      if (!(error instanceof AuthError) || error.code !== "bad_secret") throw error;
    }
  }
  throw new AuthError(
    "bad_key",
    `${path} is sealed by another key than sealing.key or sealing.command gives: set the one that it was sealed by, and change it by "secret-key seal"`,
  );
}
