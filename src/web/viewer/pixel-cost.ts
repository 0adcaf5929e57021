/** Milliseconds a pixel, before it is known how long pixels take: of text, on a slow machine. */
const FIRST_MS_PER_PIXEL = 1e-5;

/** What fewer pixels than this take is the rectangle's: a caret says nothing of what a page will take. */
const LEAST_PIXELS = 8192;

/** How fast a dear piece is forgotten: what is below a photograph is often more of it. */
const FORGET = 0.99;

/** How long pixels took one viewer to encode of late, and so how long they will take. */
export class PixelCost {
  #msPerPixel = FIRST_MS_PER_PIXEL;

  /** What so many pixels will take, in milliseconds. */
  msOf(pixels: number): number {
    return pixels * this.#msPerPixel;
  }

  /** So many pixels were encoded in so many milliseconds. */
  took(pixels: number, ms: number): void {
    this.#msPerPixel = Math.max(ms / Math.max(LEAST_PIXELS, pixels), this.#msPerPixel * FORGET);
  }
}
