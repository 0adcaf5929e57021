/** Writes bits, the highest of a byte first. */
export class BitWriter {
  readonly #bits: number[] = [];

  get length(): number {
    return this.#bits.length;
  }

  /** The low `count` bits of `value`, the highest first. */
  put(value: number, count: number): this {
    for (let i = count - 1; i >= 0; i--) this.#bits.push(Math.floor(value / 2 ** i) & 1);
    return this;
  }

  /** Bits given as text. */
  text(bits: string): this {
    for (const bit of bits) this.#bits.push(bit === "1" ? 1 : 0);
    return this;
  }

  /** Zeros up to the next whole byte. */
  align(): this {
    while (this.#bits.length % 8 !== 0) this.#bits.push(0);
    return this;
  }

  /** All bits, the last byte filled with zeros. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
    for (const [i, bit] of this.#bits.entries())
      bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (bit << (7 - (i & 7)));
    return bytes;
  }
}
