import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { RecordingError } from "../library/error.ts";

const OWNER_ONLY = 0o600;
export const SIGNATURE_BYTES = 64;
/** In the data folder: what a Signer signs by. */
export const SIGNER_FILE = "recording-key.pem";

/** Whose signatures count: those of one appliance, or of a node under all keys that it has had. */
export interface TrustedSigner {
  /** Whether this is its key: SPKI DER in base64. */
  has(publicKey: string): boolean;
  isOurs(bytes: Uint8Array, signature: Uint8Array): boolean;
}

/** Any of some keys. */
export function anyOf(keys: readonly TrustedSigner[]): TrustedSigner {
  return {
    has: (publicKey) => keys.some((key) => key.has(publicKey)),
    isOurs: (bytes, signature) => keys.some((key) => key.isOurs(bytes, signature)),
  };
}

/** What tells by whom something was signed. */
export class PublicKey implements TrustedSigner {
  /** SPKI DER in base64: what a seal names. */
  readonly publicKey: string;
  readonly #public: KeyObject;

  constructor(key: KeyObject) {
    this.#public = key;
    this.publicKey = key.export({ type: "spki", format: "der" }).toString("base64");
  }

  /** Of a PEM file with a public key, or with the private one. Throws RecordingError locked for a file that holds none. */
  static async read(path: string): Promise<PublicKey> {
    try {
      const key = createPublicKey(await readFile(path));
      if (key.asymmetricKeyType !== "ed25519") throw new Error(`a key for ${key.asymmetricKeyType}`);
      return new PublicKey(key);
    } catch (cause) {
      throw new RecordingError(
        "locked",
        `${path} holds no ed25519 key: give the recording-key.pem of the server, or its public half, by --key-file`,
        { cause },
      );
    }
  }

  /** As a seal names it. Throws for what is no key. */
  static of(publicKey: string): PublicKey {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
    return new PublicKey(key);
  }

  has(publicKey: string): boolean {
    return publicKey === this.publicKey;
  }

  isOurs(bytes: Uint8Array, signature: Uint8Array): boolean {
    return signature.length === SIGNATURE_BYTES && verify(null, bytes, this.#public, signature);
  }
}

/** Signs what this appliance recorded: ed25519, with a key of its own that is kept in the data directory. */
export class Signer extends PublicKey {
  readonly #private: KeyObject;

  private constructor(key: KeyObject) {
    super(createPublicKey(key));
    this.#private = key;
  }

  /** Makes the key (0600) at the first start. Throws RecordingError locked for a file that holds none. */
  static async open(path: string): Promise<Signer> {
    const { privateKey } = generateKeyPairSync("ed25519");
    const made = privateKey.export({ type: "pkcs8", format: "pem" });
    try {
      await writeFile(path, made, { mode: OWNER_ONLY, flag: "wx" });
      return new Signer(privateKey);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    await chmod(path, OWNER_ONLY);
    try {
      const key = createPrivateKey(await readFile(path));
      if (key.asymmetricKeyType !== "ed25519") throw new Error(`a key for ${key.asymmetricKeyType}`);
      return new Signer(key);
    } catch (cause) {
      throw new RecordingError("locked", `${path} holds no ed25519 key: restore it from a backup`, { cause });
    }
  }

  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#private);
  }
}
