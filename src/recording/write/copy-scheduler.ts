import type { View } from "../../desktop/view.ts";
import { BYTES_PER_PIXEL, type Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";

/** What all recorders together copy in one turn of the event loop: a full HD screen, about two milliseconds. */
export const PIXELS_A_TURN = 2 * 1024 * 1024;

/** Shares each turn of the event loop among all recorders, in the order of asking. */
export class CopyScheduler {
  #left = PIXELS_A_TURN;
  #isArmed = false;
  #waiting: (() => void)[] = [];

  /**
   * Copies as much of a region as this turn has room for, row by row; gives what is left. The region lies within both.
   */
  copy(from: Picture, to: Framebuffer, region: Region): Region {
    const rects = region.rects;
    for (const [i, rect] of rects.entries()) {
      const rows = Math.min(rect.height, Math.floor(this.#left / rect.width));
      if (rows > 0) {
        copyRows(from, to, { ...rect, height: rows });
        this.#left -= rows * rect.width;
        this.#arm();
      }
      if (rows === rect.height) continue;
      const rest = { ...rect, y: rect.y + rows, height: rect.height - rows };
      return Region.from([rest, ...rects.slice(i + 1)]);
    }
    return Region.empty;
  }

  /**
   * Copies a region of what a view shows, turn by turn where it is much; false where the desktop got another size
   * meanwhile.
   */
  async copyAll(view: View, to: Framebuffer, region: Region): Promise<boolean> {
    let left = this.copy(view.picture(false), to, region);
    while (!left.isEmpty) {
      await this.next();
      if (view.width !== to.width || view.height !== to.height) return false;
      left = this.copy(view.picture(false), to, left);
    }
    return true;
  }

  /** Resolves in a turn that has room again. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#arm();
    });
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isArmed = false;
    this.#left = PIXELS_A_TURN;
    // One a turn: how much it takes is only known when it has gone on, after this returns.
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#arm();
  }
}

function copyRows(from: Picture, to: Framebuffer, rect: Rect): void {
  const { bytes, offset, strideBytes } = from.pixels(rect);
  const target = to.bytes;
  const rowBytes = rect.width * BYTES_PER_PIXEL;
  const start = rect.y * to.strideBytes + rect.x * BYTES_PER_PIXEL;
  if (rowBytes === strideBytes && rowBytes === to.strideBytes) {
    target.set(bytes.subarray(offset, offset + rowBytes * rect.height), start);
    return;
  }
  for (let y = 0; y < rect.height; y++) {
    const at = offset + y * strideBytes;
    target.set(bytes.subarray(at, at + rowBytes), start + y * to.strideBytes);
  }
}
