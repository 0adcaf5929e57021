/** Whole numbers from 0 on, seven bits a byte, the lowest first; the highest bit: another byte follows. */
export class VarintWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  /** Bytes written. */
  get length(): number {
    return this.#length;
  }

  write(number: number): void {
    if (this.#length + 10 > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.#bytes.length);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Reads them one after the other; what ends too early counts as 0. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    const first = this.#bytes[this.at++] ?? 0;
    if (first < 0x80) return first;
    let number = first & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#bytes[this.at++] ?? 0;
      number += (byte & 0x7f) * scale;
      if (byte < 0x80 || scale > 2 ** 42) return number;
    }
  }
}
