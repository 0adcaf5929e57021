/** A blank screen is nothing to begin at again and again: a group holds at least so many raw bytes. */
const LEAST_GROUP_BYTES = 256 * 1024;
/** What goes into a group beside the key, in keys. */
const KEYS_A_GROUP = 1;
/** Blocks of a group: each costs a seek a look, however small it is. */
const MAX_BLOCKS = 300;

/**
 * Decides when a whole picture is written, by what a seek would cost: never more than one key and about as much again,
 * however long the recording is.
 */
export class PictureGroup {
  #keyBytes = 0;
  #sinceBytes = 0;
  #blocks = 0;
  #area = 0;

  /** Whether the next picture, of so many changed pixels of all, has to be a key. */
  needsKey(changedPixels: number, area: number): boolean {
    if (this.#keyBytes === 0 || area !== this.#area || this.#blocks >= MAX_BLOCKS) return true;
    const expected = (changedPixels / area) * this.#keyBytes;
    const most = Math.max(LEAST_GROUP_BYTES, this.#keyBytes * KEYS_A_GROUP);
    return this.#sinceBytes + expected > most;
  }

  /** A picture was encoded into so many raw bytes. */
  added(isKey: boolean, rawBytes: number, area: number): void {
    if (isKey) {
      this.#keyBytes = rawBytes;
      this.#sinceBytes = 0;
      this.#blocks = 0;
      this.#area = area;
    } else this.#sinceBytes += rawBytes;
  }

  /** The pictures until here are a block. */
  closedBlock(): void {
    this.#blocks++;
  }

  /** The next picture is a key: what was before is lost, or has another size. */
  reset(): void {
    this.#keyBytes = 0;
  }
}
