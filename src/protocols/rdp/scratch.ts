/** Memory that bitmaps are decoded to, one at a time; it grows to the largest, which its user has bounded. */
export class Scratch {
  #bytes = new Uint8Array(64 * 64 * 4);

  /** So many bytes, four of which are a word; what is in them is not defined, and lost at the next call. */
  bytes(count: number): Uint8Array<ArrayBuffer> {
    if (this.#bytes.length < count) this.#bytes = new Uint8Array(count);
    return this.#bytes.subarray(0, count);
  }
}
