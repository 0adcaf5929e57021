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

  free(): void {
    this.#bytes = new Uint8Array(0);
  }
}
