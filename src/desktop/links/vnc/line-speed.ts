/** Updates of fewer bytes than this say little of the line. */
const LEAST_BYTES = 256 * 1024;
const BYTES_PER_MB = 1e6;

/** Lines of fewer MB a second are not tried. What comes compressed says little more of a line: often a server takes longer. */
const TRY_MB = 3;
/**
 * Plain pictures have to come as fast as this, or compressing them pays: Xvnc's came with 250 to 480 over loopback on a
 * busy machine where its compressed ones came with 8 to 27, and 100 Mbit/s are 12.
 */
const KEEP_MB = 25;
/** So many slow ones in a row are the line's: on a busy machine some are read late. */
const MOST_SLOW = 16;

/**
 * Whether a target should rather send its pictures without compressing them, by how fast large updates come. Also what
 * is on this machine is measured: a tunnel begins here as well. A film of 640x360 took Xvnc 476 ms of CPU a second to
 * compress and 86 without (TigerVNC 1.12, 2026-11), of which its viewers see more pictures.
 */
export class LineSpeed {
  #isPlain = false;
  /** It was tried, and the line was too slow for it. */
  #isRefuted = false;
  #slow = 0;
  #firstBytes = 0;
  #bytes = 0;
  #sinceMs = 0;
  readonly #ask: (isPlain: boolean) => void;

  /** `ask` is called where the target is to be asked for something else than before. */
  constructor(ask: (isPlain: boolean) => void) {
    this.#ask = ask;
  }

  received(bytes: number, atMs: number): void {
    // What came first had been waiting for an unknown time.
    if (this.#bytes === 0) {
      this.#sinceMs = atMs;
      this.#firstBytes = bytes;
    }
    this.#bytes += bytes;
  }

  /** All that was received since the last update was this one. */
  updated(atMs: number): void {
    const bytes = this.#bytes - this.#firstBytes;
    const ms = Math.max(1, atMs - this.#sinceMs);
    this.#bytes = 0;
    if (bytes < LEAST_BYTES || this.#isRefuted) return;
    const mbPerSecond = bytes / BYTES_PER_MB / (ms / 1000);
    if (!this.#isPlain) {
      if (mbPerSecond >= TRY_MB) this.#turn(true);
      return;
    }
    this.#slow = mbPerSecond < KEEP_MB ? this.#slow + 1 : 0;
    if (this.#slow < MOST_SLOW) return;
    this.#isRefuted = true;
    this.#turn(false);
  }

  #turn(isPlain: boolean): void {
    this.#isPlain = isPlain;
    this.#ask(isPlain);
  }
}
