import { BYTES_PER_PIXEL, type Framebuffer } from "./framebuffer.ts";
import type { Picture, Pixels } from "./picture.ts";
import type { Rect } from "./rect.ts";

/** Where a picture's pixels lie, looked up anew for each rectangle. */
export type FrameSource = Pick<Framebuffer, "width" | "height" | "bytes" | "strideBytes">;

/** A framebuffer as a Picture: its own memory, nothing drawn over it, always as it is now. */
export class FramePicture implements Picture {
  readonly #frame: FrameSource;

  constructor(frame: FrameSource) {
    this.#frame = frame;
  }

  get width(): number {
    return this.#frame.width;
  }

  get height(): number {
    return this.#frame.height;
  }

  pixels({ x, y }: Rect): Pixels {
    const { bytes, strideBytes } = this.#frame;
    return { bytes, offset: y * strideBytes + x * BYTES_PER_PIXEL, strideBytes };
  }
}
