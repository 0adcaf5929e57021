import type { Box } from "../../../src/vision/cut/box.ts";
import type { PixelPicture } from "../../../src/vision/cut/pixel-picture.ts";

export const GROUND = 0xfff0f0f0;

/** A picture that a test draws on: windows, in rectangles. */
export class DrawnPicture implements PixelPicture {
  readonly width: number;
  readonly height: number;
  readonly words: Uint32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.words = new Uint32Array(width * height).fill(GROUND);
  }

  fill({ left, top, right, bottom }: Box, colour: number): void {
    for (let y = top; y < bottom; y++) this.words.fill(colour, y * this.width + left, y * this.width + right);
  }

  /** A filled rectangle in a frame of one pixel, which lies around it. */
  framed(box: Box, colour: number, frame: number): void {
    const { left, top, right, bottom } = box;
    this.fill({ left: left - 1, top: top - 1, right: right + 1, bottom: bottom + 1 }, frame);
    this.fill(box, colour);
  }

  /** Strokes, as of letters. */
  ink({ left, top, right, bottom }: Box, colour = 0xff202020): void {
    for (let x = left; x < right; x += 6)
      this.fill({ left: x, top, right: Math.min(right, x + 2), bottom }, colour);
  }

  /** All of it, or a part, some pixels lower. */
  shift({ left, top, right, bottom }: Box, by: number): void {
    for (let y = bottom - 1; y >= top; y--) {
      const row = this.words.slice(y * this.width + left, y * this.width + right);
      this.words.set(row, (y + by) * this.width + left);
    }
    this.fill({ left, top, right, bottom: top + by }, GROUND);
  }
}
