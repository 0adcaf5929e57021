/** Bytes that a match may reach back, MS-RDPEGFX 3.1.9.1.1. */
export const HISTORY_BYTES = 2_500_000;

/** The last HISTORY_BYTES of output as a ring. */
export class ZgfxHistory {
  readonly #bytes = new Uint8Array(HISTORY_BYTES);
  #next = 0;

  put(byte: number): void {
    this.#bytes[this.#next] = byte;
    this.#next = this.#next + 1 === HISTORY_BYTES ? 0 : this.#next + 1;
  }

  /** Remembers bytes[start, end); never more than HISTORY_BYTES. */
  write(bytes: Uint8Array, start: number, end: number): void {
    const room = HISTORY_BYTES - this.#next;
    const count = end - start;
    if (count < room) {
      this.#bytes.set(bytes.subarray(start, end), this.#next);
      this.#next += count;
      return;
    }
    this.#bytes.set(bytes.subarray(start, start + room), this.#next);
    this.#bytes.set(bytes.subarray(start + room, end), 0);
    this.#next = count - room;
  }

  /**
   * Copies `count` bytes that begin `distance` (1 to HISTORY_BYTES) before the end of what was written to `to` from `at`
   * on; a count above the distance repeats them.
   */
  read(distance: number, count: number, to: Uint8Array, at: number): void {
    const span = Math.min(distance, count);
    const start = (this.#next + HISTORY_BYTES - distance) % HISTORY_BYTES;
    const front = Math.min(span, HISTORY_BYTES - start);
    to.set(this.#bytes.subarray(start, start + front), at);
    if (front < span) to.set(this.#bytes.subarray(0, span - front), at + front);
    // Doubling: each copy is as long as all that is there.
    for (let done = span; done < count; done += done) {
      to.copyWithin(at + done, at, at + Math.min(done, count - done));
    }
  }
}
