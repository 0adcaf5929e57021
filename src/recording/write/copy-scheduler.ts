import type { View } from "../../desktop/view.ts";
import { BYTES_PER_PIXEL, type Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { loopTurns } from "../../platform/loop-turns.ts";

/** What all recorders together copy in one turn of the event loop: a full HD screen. */
export const PIXELS_A_TURN = 2 * 1024 * 1024;

/** About how long that takes. */
const TURN_MS = 2;

/** Shares each turn of the event loop among all recorders, in the order of asking. */
export class CopyScheduler {
  readonly #loop: typeof loopTurns;
  /** What is left of the turn with this number. */
  #left = 0;
  #turn = -1;

  constructor(loop = loopTurns) {
    this.#loop = loop;
  }

  /**
   * Copies as much of a region as this turn has room for, row by row; gives what is left. The region lies within both.
   */
  copy(from: Picture, to: Framebuffer, region: Region): Region {
    const rects = region.rects;
    for (const [i, rect] of rects.entries()) {
      const rows = Math.min(rect.height, Math.floor(this.#room() / rect.width));
      if (rows > 0) {
        copyRows(from, to, { ...rect, height: rows });
        this.#left -= rows * rect.width;
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
      this.#loop.next("copies", TURN_MS, () => {
        // It goes on after this returns: its time is kept for it.
        this.#take();
        resolve();
      });
    });
  }

  /** Pixels that there is time for in this turn. */
  #room(): number {
    if (this.#turn !== this.#loop.number) {
      if (!this.#loop.hasTimeFor("copies", TURN_MS)) return 0;
      this.#take();
    }
    return this.#left;
  }

  #take(): void {
    this.#loop.took("copies", TURN_MS);
    this.#turn = this.#loop.number;
    this.#left = PIXELS_A_TURN;
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
