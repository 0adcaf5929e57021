/** Bytes that a viewer may send at once: more than any clipboard that is taken. */
const BURST_BYTES = 512 * 1024;
/** Bytes that it may send each second after that; a person at mouse and keyboard sends a few kilobytes. */
const BYTES_PER_SECOND = 128 * 1024;

/** A reader that can be held up; the other side then feels it as a slow line. */
export interface PausableReader {
  pause(): void;
  resume(): void;
}

/**
 * Limits how fast a viewer is read, to more than a person can send: the rest waits in its own socket, so that one that
 * floods takes no time from the others.
 */
export class ReadThrottle {
  readonly #reader: PausableReader;
  #leftBytes = BURST_BYTES;
  #atMs = performance.now();
  #timer: NodeJS.Timeout | null = null;

  constructor(reader: PausableReader) {
    this.#reader = reader;
  }

  /** So many bytes came. */
  took(sizeBytes: number): void {
    const nowMs = performance.now();
    const earned = ((nowMs - this.#atMs) * BYTES_PER_SECOND) / 1000;
    this.#atMs = nowMs;
    this.#leftBytes = Math.min(BURST_BYTES, this.#leftBytes + earned) - sizeBytes;
    if (this.#leftBytes >= 0 || this.#timer !== null) return;
    this.#reader.pause();
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#reader.resume();
      },
      (-this.#leftBytes * 1000) / BYTES_PER_SECOND,
    );
    this.#timer.unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
