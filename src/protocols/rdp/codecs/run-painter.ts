import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { badData } from "./bad-data.ts";

/** Paints a rectangle's pixels one run after the other, in reading order. */
export class RunPainter {
  readonly #to: Framebuffer;
  readonly #rect: Rect;
  readonly #count: number;
  #at = 0;

  /** `rect` lies within `to`. */
  constructor(to: Framebuffer, rect: Rect) {
    this.#to = to;
    this.#rect = rect;
    this.#count = rect.width * rect.height;
  }

  /** Pixels not painted yet. */
  get left(): number {
    return this.#count - this.#at;
  }

  /** Paints the next `count` pixels. Throws RdpError `bad_data` where there are not as many left. */
  run(word: number, count: number): void {
    if (count > this.left) throw badData(`a run of ${count} pixels, expected at most the ${this.left} left`);
    const { x, y, width } = this.#rect;
    const words = this.#to.words;
    for (let left = count; left > 0; ) {
      const column = this.#at % width;
      const part = Math.min(left, width - column);
      const start = (y + (this.#at - column) / width) * this.#to.width + x + column;
      words.fill(word, start, start + part);
      this.#at += part;
      left -= part;
    }
  }
}
