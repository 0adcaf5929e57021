import type { SecurityCrypto } from "../../platform.ts";

const BLOCK_BYTES = 16;
/** Bytes that sealing adds. */
export const TAG_BYTES = 16;

/** What doubling in GF(2^128) folds back in, RFC 4493 section 2.3. */
const REDUCTION = 0x87;

type Aes = Pick<SecurityCrypto, "aesEcb" | "aesCbc" | "aesCtr">;

/** AES in EAX mode (Bellare, Rogaway, Wagner 2004): CTR for secrecy, three CMACs for truth. Keys of 16 or 32 bytes. */
export class AesEax {
  readonly #aes: Aes;
  readonly #key: Uint8Array;
  readonly #mac: AesCmac;

  constructor(aes: Aes, key: Uint8Array) {
    this.#aes = aes;
    this.#key = key;
    this.#mac = new AesCmac(aes, key);
  }

  /** Ciphertext, then the tag. A nonce is used once. */
  seal(nonce: Uint8Array, header: Uint8Array, plain: Uint8Array): Uint8Array {
    const counter = this.#omac(0, nonce);
    const sealed = new Uint8Array(plain.length + TAG_BYTES);
    sealed.set(this.#aes.aesCtr(this.#key, counter, plain));
    const tag = this.#tag(counter, header, sealed.subarray(0, plain.length));
    sealed.set(tag, plain.length);
    return sealed;
  }

  /** The plain bytes; null where anything was changed. `sealed` is at least as long as a tag. */
  open(nonce: Uint8Array, header: Uint8Array, sealed: Uint8Array): Uint8Array | null {
    const cipher = sealed.subarray(0, sealed.length - TAG_BYTES);
    const counter = this.#omac(0, nonce);
    const tag = this.#tag(counter, header, cipher);
    if (!isSame(tag, sealed.subarray(cipher.length))) return null;
    return this.#aes.aesCtr(this.#key, counter, cipher);
  }

  #tag(counter: Uint8Array, header: Uint8Array, cipher: Uint8Array): Uint8Array {
    const ofHeader = this.#omac(1, header);
    const ofCipher = this.#omac(2, cipher);
    return counter.map((byte, i) => byte ^ ofHeader[i]! ^ ofCipher[i]!);
  }

  /** OMAC^t: the CMAC behind a block that says what is being signed. */
  #omac(t: number, data: Uint8Array): Uint8Array {
    const message = new Uint8Array(BLOCK_BYTES + data.length);
    message[BLOCK_BYTES - 1] = t;
    message.set(data, BLOCK_BYTES);
    return this.#mac.of(message);
  }
}

/** AES-CMAC, RFC 4493. */
export class AesCmac {
  readonly #aes: Aes;
  readonly #key: Uint8Array;
  readonly #whole: Uint8Array;
  readonly #partial: Uint8Array;

  constructor(aes: Aes, key: Uint8Array) {
    this.#aes = aes;
    this.#key = key;
    this.#whole = double(aes.aesEcb(key, new Uint8Array(BLOCK_BYTES)));
    this.#partial = double(this.#whole);
  }

  /** 16 bytes. */
  of(message: Uint8Array): Uint8Array {
    const blocks = Math.max(1, Math.ceil(message.length / BLOCK_BYTES));
    const padded = new Uint8Array(blocks * BLOCK_BYTES);
    padded.set(message);
    const isWhole = message.length === padded.length;
    if (!isWhole) padded[message.length] = 0x80;
    const mask = isWhole ? this.#whole : this.#partial;
    const last = padded.length - BLOCK_BYTES;
    for (let i = 0; i < BLOCK_BYTES; i++) padded[last + i] = padded[last + i]! ^ mask[i]!;
    return this.#aes.aesCbc(this.#key, new Uint8Array(BLOCK_BYTES), padded).slice(last);
  }
}

function double(block: Uint8Array): Uint8Array {
  const doubled = block.map((byte, i) => ((byte << 1) | ((block[i + 1] ?? 0) >> 7)) & 0xff);
  if (block[0]! & 0x80) doubled[BLOCK_BYTES - 1] = doubled[BLOCK_BYTES - 1]! ^ REDUCTION;
  return doubled;
}

/** Takes as long for every difference. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
