import { RdpError } from "../error.ts";
import { joined } from "./octets.ts";

/** Tags of ITU-T X.690 that CredSSP and SPNEGO use. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  sequence: 0x30,
  /** GSS-API's frame around a first token, RFC 2743 section 3.1. */
  application0: 0x60,
} as const;

/** The tag of an explicitly tagged field. */
export function field(number: number): number {
  return 0xa0 | number;
}

const SHORT_LENGTHS = 0x80;
/** Bytes of a long length; more would be a message beyond 4 GiB. */
const MOST_LENGTH_BYTES = 4;
const MULTI_BYTE_TAG = 0x1f;

/** An element: tag, length, the parts as contents. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const contents = joined(...parts);
  return joined(Uint8Array.of(tag), lengthOf(contents.length), contents);
}

/** A non-negative INTEGER below 2^32. */
export function derInteger(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest & 0xff);
  // The first bit is the sign.
  if ((bytes[0] ?? 0) >= 0x80) bytes.unshift(0);
  return der(TAG.integer, Uint8Array.from(bytes));
}

function lengthOf(count: number): Uint8Array {
  if (count < SHORT_LENGTHS) return Uint8Array.of(count);
  const bytes: number[] = [];
  for (let rest = count; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return Uint8Array.of(SHORT_LENGTHS | bytes.length, ...bytes);
}

/**
 * Reads the elements of one message, each a view of it: nothing is allocated for what a length promises. Throws
 * RdpError `bad_data` where an element does not fit, has an indefinite length, or is another than was asked for.
 * Lengths need not be the shortest: some encoders have only one form.
 */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at = 0;

  /** `what` names the message in errors: "TSRequest". */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next element's tag without reading it, null at the end. */
  get nextTag(): number | null {
    return this.#bytes[this.#at] ?? null;
  }

  /** The contents of the next element, which must have this tag. */
  take(tag: number): Uint8Array {
    const got = this.#bytes[this.#at];
    if (got !== tag) {
      const found = got === undefined ? "its end" : `tag 0x${got.toString(16)}`;
      throw this.#error(`got ${found}, expected tag 0x${tag.toString(16)}`);
    }
    return this.skip();
  }

  /** A reader over the contents of the next element, which must have this tag. */
  open(tag: number): DerReader {
    return new DerReader(this.take(tag), this.#what);
  }

  /** The contents of the next element, whatever it is. */
  skip(): Uint8Array {
    const tag = this.#byte();
    if ((tag & MULTI_BYTE_TAG) === MULTI_BYTE_TAG)
      throw this.#error("got a tag of several bytes, expected one");
    const count = this.#length();
    const start = this.#at;
    if (count > this.#bytes.length - start) {
      throw this.#error(`got ${this.#bytes.length - start} bytes, expected an element of ${count}`);
    }
    this.#at = start + count;
    return this.#bytes.subarray(start, this.#at);
  }

  /** The next element, which must be an INTEGER of at most 32 bits; a negative one as its unsigned bits. */
  integer(): number {
    const bytes = this.take(TAG.integer);
    const digits = bytes.length === 5 && bytes[0] === 0 ? bytes.subarray(1) : bytes;
    if (digits.length === 0 || digits.length > 4) {
      throw this.#error(`got an integer of ${bytes.length} bytes, expected at most 4`);
    }
    const isNegative = (bytes[0] ?? 0) >= 0x80;
    let value = isNegative ? -1 : 0;
    for (const byte of digits) value = (value << 8) | byte;
    return value >>> 0;
  }

  #length(): number {
    const first = this.#byte();
    if (first < SHORT_LENGTHS) return first;
    const bytes = first & 0x7f;
    if (bytes === 0) throw this.#error("got an indefinite length, expected a definite one");
    if (bytes > MOST_LENGTH_BYTES) throw this.#error(`got a length of ${bytes} bytes, expected at most 4`);
    let count = 0;
    for (let i = 0; i < bytes; i++) count = count * 256 + this.#byte();
    return count;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw this.#error("got its end inside an element");
    this.#at++;
    return byte;
  }

  #error(what: string): RdpError {
    return new RdpError("bad_data", "credssp", `${this.#what}: ${what}`);
  }
}
