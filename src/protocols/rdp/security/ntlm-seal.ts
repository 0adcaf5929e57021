import { LittleEndianWriter } from "../little-endian-writer.ts";
import { type Hash, hmacMd5 } from "./hmac-md5.ts";
import { ascii, isSame, joined } from "./octets.ts";
import { Rc4 } from "./rc4.ts";

/** NTLMSSP_MESSAGE_SIGNATURE, MS-NLMP 2.2.2.9.1: U32 version 1, checksum 8, U32 sequence number. */
const SIGNATURE_BYTES = 16;
const SIGNATURE_VERSION = 1;
const CHECKSUM_BYTES = 8;

export type Direction = "client-to-server" | "server-to-client";

/**
 * Seals or opens the messages of one direction, MS-NLMP 3.4, with extended session security, 128 bits and key
 * exchange. Messages have numbers, so that none can be left out, repeated or moved.
 */
export class NtlmSeal {
  readonly #hash: Hash;
  readonly #signingKey: Uint8Array;
  readonly #sealingKey: Uint8Array;
  #stream: Rc4;
  #sequence = 0;

  /** `sessionKey`: the 16 bytes that the client made. */
  constructor(hash: Hash, sessionKey: Uint8Array, direction: Direction) {
    const key = (use: string): Uint8Array =>
      hash("md5", joined(sessionKey, ascii(`session key to ${direction} ${use} key magic constant\0`)));
    this.#hash = hash;
    this.#signingKey = key("signing");
    this.#sealingKey = key("sealing");
    this.#stream = new Rc4(this.#sealingKey);
  }

  /** The signature, then the message encrypted. */
  seal(message: Uint8Array): Uint8Array {
    // In this order: both come from one key stream.
    const sealed = this.#stream.apply(message);
    return joined(this.#signature(message), sealed);
  }

  /** The message; null where anything of it was changed, or where it is not the next one. */
  open(sealed: Uint8Array): Uint8Array | null {
    if (sealed.length < SIGNATURE_BYTES) return null;
    const message = this.#stream.apply(sealed.subarray(SIGNATURE_BYTES));
    return isSame(this.#signature(message), sealed.subarray(0, SIGNATURE_BYTES)) ? message : null;
  }

  /** A signature alone, over a message that goes in clear. */
  sign(message: Uint8Array): Uint8Array {
    return this.#signature(message);
  }

  /**
   * The key stream begins anew: SPNEGO does so behind the signature over its list of mechanisms, MS-SPNG 3.3.5.1. The
   * messages are counted on: gss-ntlmssp 1.2 under MIT Kerberos 1.20 throws out what is counted anew (2026-11-21).
   */
  restart(): void {
    this.#stream = new Rc4(this.#sealingKey);
  }

  #signature(message: Uint8Array): Uint8Array {
    const sequence = new LittleEndianWriter(4).u32(this.#sequence++).bytes();
    const checksum = hmacMd5(this.#hash, this.#signingKey, sequence, message).subarray(0, CHECKSUM_BYTES);
    const version = new LittleEndianWriter(4).u32(SIGNATURE_VERSION).bytes();
    return joined(version, this.#stream.apply(checksum), sequence);
  }
}
