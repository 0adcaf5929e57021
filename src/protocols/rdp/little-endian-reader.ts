import { RdpError, type RdpPhase } from "./error.ts";

/**
 * Reads a message that is whole, little-endian unless the name says otherwise. A read past its end throws RdpError
 * `bad_data` in the reader's phase: lengths of the peer need no other check than this one.
 */
export class LittleEndianReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #phase: RdpPhase;
  #at = 0;

  constructor(bytes: Uint8Array, phase: RdpPhase) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#phase = phase;
  }

  /** Bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  get phase(): RdpPhase {
    return this.#phase;
  }

  /** The next byte without reading it. */
  peekU8(): number {
    this.#need(1);
    return this.#view.getUint8(this.#at);
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  i16(): number {
    return this.#view.getInt16(this.#advance(2), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  /** 16 bits, big-endian: TPKT, X.224 and MCS. */
  bigU16(): number {
    return this.#view.getUint16(this.#advance(2), false);
  }

  skip(count: number): void {
    this.#advance(count);
  }

  /** A view of the next bytes: copy what must outlive the message. */
  take(count: number): Uint8Array {
    const at = this.#advance(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** A view of all that is left. */
  rest(): Uint8Array {
    return this.take(this.left);
  }

  /** A reader over the next `count` bytes alone. */
  part(count: number): LittleEndianReader {
    return new LittleEndianReader(this.take(count), this.#phase);
  }

  #advance(count: number): number {
    this.#need(count);
    const at = this.#at;
    this.#at += count;
    return at;
  }

  #need(count: number): void {
    if (count < 0 || count > this.#bytes.length - this.#at) {
      throw new RdpError(
        "bad_data",
        this.#phase,
        `got a message with ${this.left} bytes left, expected ${count} at offset ${this.#at}`,
      );
    }
  }
}
