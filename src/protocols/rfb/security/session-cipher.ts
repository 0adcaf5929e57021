import { ByteQueue, type Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { SecurityCrypto } from "../../platform.ts";
import { RfbError } from "../error.ts";
import { AesEax, TAG_BYTES } from "./aes-eax.ts";

const LENGTH_BYTES = 2;
const NONCE_BYTES = 16;
/** What TigerVNC sends in one message at most; it reads up to 65,535. */
const MOST_SENT_BYTES = 8192;

/** The messages of one direction: a key, and a nonce that counts them. */
class Counted {
  readonly #eax: AesEax;
  readonly #nonce = new Uint8Array(NONCE_BYTES);

  constructor(crypto: SecurityCrypto, key: Uint8Array) {
    this.#eax = new AesEax(crypto, key);
  }

  seal(header: Uint8Array, plain: Uint8Array): Uint8Array {
    const sealed = this.#eax.seal(this.#nonce, header, plain);
    this.#count();
    return sealed;
  }

  open(header: Uint8Array, sealed: Uint8Array): Uint8Array | null {
    const plain = this.#eax.open(this.#nonce, header, sealed);
    this.#count();
    return plain;
  }

  /** 128 bits, the lowest byte first. */
  #count(): void {
    for (let i = 0; i < NONCE_BYTES; i++) {
      const next = (this.#nonce[i]! + 1) & 0xff;
      this.#nonce[i] = next;
      if (next !== 0) return;
    }
  }
}

/**
 * Both directions of RSA-AES, rfbproto: messages of U16 length, that many bytes of ciphertext, 16 bytes of tag; the
 * length is what the tag also covers.
 */
export class SessionCipher {
  readonly #out: Counted;
  readonly #in: Counted;
  readonly #arrived = new ByteQueue();

  constructor(crypto: SecurityCrypto, keys: { readonly send: Uint8Array; readonly receive: Uint8Array }) {
    this.#out = new Counted(crypto, keys.send);
    this.#in = new Counted(crypto, keys.receive);
  }

  /** Any number of bytes as messages for the wire. */
  seal(plain: Uint8Array): Uint8Array {
    const wire = new ByteWriter(plain.length + LENGTH_BYTES + TAG_BYTES);
    for (let at = 0; at < plain.length; at += MOST_SENT_BYTES) {
      const part = plain.subarray(at, at + MOST_SENT_BYTES);
      const header = headerOf(part.length);
      wire.put(header).put(this.#out.seal(header, part));
    }
    return wire.bytes();
  }

  /** One message, for handshakes. Throws RfbError where it is longer than `most` or was changed. */
  *read(from: ByteQueue, most: number): Parser<Uint8Array> {
    while (!from.has(LENGTH_BYTES)) yield LENGTH_BYTES;
    const length = from.u16();
    if (length > most) {
      throw new RfbError(
        "too_large",
        "authentication",
        `got a sealed message of ${length} bytes, expected at most ${most}`,
      );
    }
    while (!from.has(length + TAG_BYTES)) yield length + TAG_BYTES;
    return this.#open(length, from.take(length + TAG_BYTES));
  }

  /** Bytes from the wire, cut anywhere; gives what is whole by now. Throws RfbError where something was changed. */
  open(chunk: Uint8Array): Uint8Array[] {
    const from = this.#arrived;
    from.push(chunk);
    const plain: Uint8Array[] = [];
    while (from.has(LENGTH_BYTES)) {
      const [high = 0, low = 0] = from.peek(LENGTH_BYTES);
      const length = high * 256 + low;
      if (!from.has(LENGTH_BYTES + length + TAG_BYTES)) break;
      from.skip(LENGTH_BYTES);
      plain.push(this.#open(length, from.take(length + TAG_BYTES)));
    }
    return plain;
  }

  #open(length: number, sealed: Uint8Array): Uint8Array {
    const plain = this.#in.open(headerOf(length), sealed);
    if (plain === null) {
      throw new RfbError(
        "bad_data",
        "authentication",
        "got a sealed message that was changed on its way, expected what the server sealed",
      );
    }
    return plain;
  }
}

function headerOf(length: number): Uint8Array {
  return Uint8Array.of(length >> 8, length & 0xff);
}
