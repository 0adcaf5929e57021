import { MAX_AREA } from "../../../framebuffer/framebuffer.ts";
import { tooLarge } from "../codecs/bad-data.ts";

/** Pixels that one message may paint: 32 times a screen of 3840 x 2160, 8 times the largest. */
const MOST_PIXELS = 8 * MAX_AREA;

/**
 * What is left of the work that one message may ask for. A few bytes can ask for a fill of the whole screen, and bulk
 * compression makes millions of them from one packet: without a limit the host decides how long we are busy.
 */
export class WorkLimit {
  #left = MOST_PIXELS;

  /** At the start of a message. */
  reset(): void {
    this.#left = MOST_PIXELS;
  }

  /** Throws RdpError `too_large` once a message asked for too much. */
  spend(pixels: number): void {
    this.#left -= pixels;
    if (this.#left < 0)
      throw tooLarge(`a graphics message that paints over ${MOST_PIXELS} pixels, expected fewer`);
  }
}
