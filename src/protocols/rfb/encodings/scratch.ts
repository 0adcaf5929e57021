const FIRST_BYTES = 64 * 1024;

/**
 * Working memory that is handed out again and again. It grows on demand to `keepBytes`; what is asked beyond that is
 * allocated for the one use, so that one large rectangle does not hold memory for ever.
 */
export class Scratch {
  readonly #keepBytes: number;
  #bytes = new Uint8Array(0);

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  /** At least `sizeBytes` bytes of any content, the same memory as the last call's. */
  take(sizeBytes: number): Uint8Array<ArrayBuffer> {
    if (sizeBytes <= this.#bytes.length) return this.#bytes;
    if (sizeBytes > this.#keepBytes) return new Uint8Array(sizeBytes);
    let capacity = Math.max(FIRST_BYTES, this.#bytes.length);
    while (capacity < sizeBytes) capacity *= 2;
    this.#bytes = new Uint8Array(Math.min(capacity, this.#keepBytes));
    return this.#bytes;
  }
}

/** Spare memory that is kept: for who decodes, and for who decodes while the first one waits for bytes. */
const MOST_SPARES = 2;

/** Working memory for a while: who has done with it leaves it to the next one, so that those who rest have none. */
export class ScratchPool {
  readonly #keepBytes: number;
  readonly #spares: Uint8Array<ArrayBuffer>[] = [];

  /** What is asked beyond `keepBytes` is allocated for the one use. */
  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  /** At least `sizeBytes` bytes of any content, the caller's until it gives them back. */
  take(sizeBytes: number): Uint8Array<ArrayBuffer> {
    const at = this.#spares.findIndex(({ length }) => length >= sizeBytes);
    const [spare] = at === -1 ? [] : this.#spares.splice(at, 1);
    return spare ?? new Scratch(this.#keepBytes).take(sizeBytes);
  }

  giveBack(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length > this.#keepBytes) return;
    // The smallest first, so that it is taken where it is enough.
    this.#spares.push(bytes);
    this.#spares.sort((a, b) => a.length - b.length);
    if (this.#spares.length > MOST_SPARES) this.#spares.shift();
  }
}
