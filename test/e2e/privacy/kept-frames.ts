import sharp from "sharp";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { partOf } from "./sight.ts";

const MOST_KEPT = 1000;

/** Writes frames as pictures, for whoever looks for the reason of a leak. */
export class KeptFrames {
  readonly #start: string;
  readonly #complain: (line: string) => void;
  #count = 0;

  /** `start`: of the paths. */
  constructor(start: string, complain: (line: string) => void) {
    this.#start = start;
    this.#complain = complain;
  }

  add(frame: Framebuffer, name: string): void {
    const part = partOf(frame, frame.rect);
    if (part === null || this.#count >= MOST_KEPT) return;
    const { width, height, rgba } = part;
    sharp(rgba, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .toFile(`${this.#start}${name.replaceAll(" ", "-")}-${++this.#count}.png`)
      .catch((error: unknown) => this.#complain(`not kept: ${error}`));
  }
}
