const ASCII_LIMIT = 0x80;

/** Builds a message, big-endian unless told otherwise, growing as needed. `bytes()` is a view of what was written. */
export class ByteWriter {
  readonly #isLittleEndian: boolean;
  #buffer: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  constructor(capacityBytes = 64, isLittleEndian = false) {
    this.#isLittleEndian = isLittleEndian;
    this.#buffer = new Uint8Array(Math.max(1, capacityBytes));
    this.#view = new DataView(this.#buffer.buffer);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    // Reserved first: growing replaces the view.
    const at = this.#reserve(1);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, this.#isLittleEndian);
    return this;
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, this.#isLittleEndian);
    return this;
  }

  i16(value: number): this {
    const at = this.#reserve(2);
    this.#view.setInt16(at, value, this.#isLittleEndian);
    return this;
  }

  i32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setInt32(at, value, this.#isLittleEndian);
    return this;
  }

  /** Padding: `count` zero bytes. */
  pad(count: number): this {
    const at = this.#reserve(count);
    this.#buffer.fill(0, at, at + count);
    return this;
  }

  put(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
    return this;
  }

  /** ASCII text, one byte a character; anything else becomes "?". */
  ascii(text: string): this {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      this.u8(code < ASCII_LIMIT ? code : 0x3f);
    }
    return this;
  }

  /** Overwrites a 16-bit number written before, for counts known only at the end. */
  setU16(at: number, value: number): this {
    this.#view.setUint16(at, value, this.#isLittleEndian);
    return this;
  }

  /** Begins anew in the same memory: what `bytes()` gave before is written over. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** What was written, a view into the writer's memory. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#buffer.length) {
      let capacity = this.#buffer.length;
      while (capacity < needed) capacity *= 2;
      const grown = new Uint8Array(capacity);
      grown.set(this.#buffer.subarray(0, at));
      this.#buffer = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#length = needed;
    return at;
  }
}
