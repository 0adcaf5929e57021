/** Reads bits, the highest of a byte first; past the end there are zeros, and `isAtEnd` says so. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #next = 0;
  /** The next bits, left aligned. */
  #window = 0;
  /** How many bits of the window are there, at most 31; negative once more were read than there are. */
  #have = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** True where no bit is left. */
  get isAtEnd(): boolean {
    return this.#next >= this.#bytes.length && this.#have <= 0;
  }

  bit(): number {
    if (this.#have <= 0) this.#fill();
    const bit = this.#window >>> 31;
    this.#window <<= 1;
    this.#have--;
    return bit;
  }

  /** The next `count` bits, 0 to 15, as a number. */
  bits(count: number): number {
    if (count === 0) return 0;
    if (this.#have < count) this.#fill();
    const value = this.#window >>> (32 - count);
    this.#window <<= count;
    this.#have -= count;
    return value;
  }

  #fill(): void {
    if (this.#have < 0) this.#have = 0;
    while (this.#have <= 23 && this.#next < this.#bytes.length) {
      this.#window |= this.#bytes[this.#next++]! << (24 - this.#have);
      this.#have += 8;
    }
  }
}
