import type { Size } from "../../framebuffer/rect.ts";
import { type Box, heightOf, widthOf } from "./box.ts";
import { isNear, type PixelPicture } from "./pixel-picture.ts";

/** So many pixels of one colour beside each other are ground or a rule: strokes of letters are narrower. */
const GROUND_WIDTH = 12;
/** The same of pixels below each other: strokes are shorter than this up to large headings. */
const GROUND_HEIGHT = 26;
/** Rows, at most, from which a pixel decides whether a run goes on at a joint. */
const JOINT_REACH = 3;
/** Shorter lines between the cells of a table are strokes of letters as well as they may be. */
const RULE_HEIGHT = 12;
/** Beside the line between two cells these pixels are the ground of a cell. */
const CELL_GROUND = [2, 3, 4, 5] as const;
const CELL_GROUND_END = 5;
/** Columns from which a pixel may decide what a line beside it is: its cell's ground, and a run across that it ends. */
const RULE_REACH = GROUND_WIDTH + CELL_GROUND_END + 1;
/** Colours of one ground: gradients differ by less from pixel to pixel. */
const GRADIENT = 6;

const ACROSS = 1;
const DOWN = 2;

/**
 * Which pixels of a picture may be ink: those in no long run of one colour, neither across nor down, and in no line between cells. Kept whole, so that
 * a small change costs only the runs it touches.
 */
export class InkMask {
  /** One byte a pixel: 0 is ink, else what runs it lies in. */
  readonly bytes: Uint8Array;
  readonly #width: number;
  readonly #height: number;
  readonly #starts: Int32Array;

  constructor({ width, height }: Size) {
    this.#width = width;
    this.#height = height;
    // As of a picture of one colour.
    const runs = (width >= GROUND_WIDTH ? ACROSS : 0) | (height >= GROUND_HEIGHT ? DOWN : 0);
    this.bytes = new Uint8Array(width * height).fill(runs);
    this.#starts = new Int32Array(width);
  }

  /** Pixels that an update of a box looks at. */
  static costOf(box: Box): number {
    const reach = 2 * GROUND_HEIGHT + JOINT_REACH;
    return (widthOf(box) + 2 * RULE_REACH) * (heightOf(box) + 2 * reach);
  }

  /** Pixels of a box changed; gives the box in which the mask, or a pixel, is another one. */
  update(picture: PixelPicture, box: Box): Box {
    this.#across(picture, box.top, box.bottom);
    return this.#down(picture, box);
  }

  #across({ words }: PixelPicture, top: number, bottom: number): void {
    const { bytes } = this;
    const width = this.#width;
    for (let row = top * width; row < bottom * width; row += width) {
      const end = row + width;
      let start = row;
      for (let at = row + 1; at <= end; at++) {
        if (at < end && isNear(words[at]!, words[at - 1]!, GRADIENT)) continue;
        if (at - start >= GROUND_WIDTH) for (let k = start; k < at; k++) bytes[k]! |= ACROSS;
        else for (let k = start; k < at; k++) bytes[k]! &= ~ACROSS;
        start = at;
      }
    }
  }

  /**
   * A run is as long for a pixel as far as it reaches; beyond GROUND_HEIGHT nobody asks. INVARIANT: whether a run goes on
   * from one row to the next depends on JOINT_REACH rows around and on nothing before them, so that a part of a picture
   * gives what the whole of it gives.
   */
  #down({ words }: PixelPicture, { left, top, right, bottom }: Box): Box {
    const { bytes } = this;
    const width = this.#width;
    const from = Math.max(0, top - GROUND_HEIGHT - JOINT_REACH);
    const to = Math.min(this.#height, bottom + GROUND_HEIGHT + JOINT_REACH);
    const first = Math.max(0, from - GROUND_HEIGHT);
    const last = Math.min(this.#height, to + GROUND_HEIGHT);
    const starts = this.#starts.fill(first);
    const near = Math.max(0, left - RULE_REACH);
    const far = Math.min(width, right + RULE_REACH);
    const changed = { left: near, top, right: far, bottom };
    for (let y = first + 1; y <= last; y++) {
      for (let x = near; x < far; x++) {
        const at = y * width + x;
        if (y < last && isNear(words[at]!, words[at - width]!, GRADIENT)) continue;
        const start = starts[x]!;
        if (y < last && (this.#isBridged(words, x, y) || this.#isBridged(words, x, y - 1))) continue;
        starts[x] = y;
        const isLong = y - start >= GROUND_HEIGHT || this.#isRule(words, x, start, y);
        const bit = isLong ? DOWN : 0;
        const until = Math.min(y, to);
        for (let k = Math.max(start, from); k < until; k++) {
          const here = k * width + x;
          const isJoint =
            bit === DOWN &&
            k > start &&
            !isNear(words[here]!, words[here - width]!, GRADIENT) &&
            k + 1 < y &&
            !isNear(words[here]!, words[here + width]!, GRADIENT);
          const before = bytes[here]!;
          const after = (before & ~DOWN) | (isJoint ? 0 : bit);
          if (before === after) continue;
          bytes[here] = after;
          // Ink where there was none, or none where there was.
          if (before !== 0 && after !== 0) continue;
          if (k < changed.top) changed.top = k;
          if (k >= changed.bottom) changed.bottom = k + 1;
        }
      }
    }
    return changed;
  }

  /** Whether a run goes on over one other pixel, as where the lines of a table cross: two pixels of it are above. */
  #isBridged(words: Uint32Array, x: number, y: number): boolean {
    const width = this.#width;
    const at = y * width + x;
    return (
      y >= 2 &&
      y + 1 < this.#height &&
      isNear(words[at - width]!, words[at + width]!, GRADIENT) &&
      isNear(words[at - 2 * width]!, words[at - width]!, GRADIENT)
    );
  }

  /**
   * Whether a run down is the line between two cells of a table whose rows are lower than GROUND_HEIGHT and of different
   * colours: thin, and from one line across to the next, which go on beside it over the ground of a cell.
   */
  #isRule(words: Uint32Array, x: number, start: number, end: number): boolean {
    if (end - start < RULE_HEIGHT || start === 0 || end === this.#height) return false;
    return this.#isCellSide(words, x, start, end, 1) || this.#isCellSide(words, x, start, end, -1);
  }

  #isCellSide(words: Uint32Array, x: number, start: number, end: number, side: 1 | -1): boolean {
    const width = this.#width;
    const inner = x + side * CELL_GROUND_END;
    if (inner < 0 || inner >= width) return false;
    const ground = words[(start + 2) * width + inner]!;
    for (const row of [start + 2, (start + end) >> 1, end - 3]) {
      if (isNear(words[row * width + x]!, ground, GRADIENT)) return false;
      for (const away of CELL_GROUND) {
        if (!isNear(words[row * width + x + side * away]!, ground, GRADIENT)) return false;
      }
    }
    return [start - 1, end].every((row) => {
      const at = row * width + inner;
      return (this.bytes[at]! & ACROSS) !== 0 && !isNear(words[at]!, ground, GRADIENT);
    });
  }
}
