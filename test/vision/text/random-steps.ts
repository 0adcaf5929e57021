import type { Rect, Size } from "../../../src/framebuffer/rect.ts";
import { cutPicture } from "../../../src/vision/cut/cut-lines.ts";
import type { PixelPicture } from "../../../src/vision/cut/pixel-picture.ts";
import { LineCache } from "../../../src/vision/text/line-cache.ts";
import { TextIndex } from "../../../src/vision/text/text-index.ts";
import { numbers } from "../../framebuffer/frames.ts";

/** Boxes and hashes of lines, comparable. */
export type LineKeys = readonly string[];

const GROUNDS = [0xfffafafa, 0xff302010, 0xff2b2b2b] as const;

/**
 * A screen on which windows come and go, scroll, are moved, typed into and painted anew, at random, with the pixels of
 * real pictures; and the index of its text, which is told of it as a desktop tells it.
 */
export class RandomScreen {
  readonly #size: Size;
  readonly #words: Uint32Array;
  readonly #index: TextIndex;
  readonly #frames: readonly PixelPicture[];
  readonly #next: () => number;
  /** What lies below windows that were laid over it last, to be shown again. */
  readonly #below: { readonly rect: Rect; readonly words: Uint32Array }[] = [];
  #generation = 0;

  /** `still`: what fills the screen at first, as a page beside and below all that happens. */
  constructor(size: Size, frames: readonly PixelPicture[], seed: number, still: PixelPicture | null = null) {
    this.#size = size;
    this.#words = new Uint32Array(size.width * size.height);
    this.#index = new TextIndex(size, new LineCache());
    this.#frames = frames;
    this.#next = numbers(seed);
    this.#fill({ x: 0, y: 0, ...size }, GROUNDS[0]);
    if (still !== null) this.#tile(still);
  }

  /** One to three things happen before somebody looks; gives what they were. */
  step(): string {
    const done = Array.from({ length: 1 + this.#upTo(2) }, () => this.#happen());
    this.#index.settle(++this.#generation);
    return done.join(", ");
  }

  /** The lines of the index. */
  kept(): LineKeys {
    return this.#index.entries.map(keyOf).sort();
  }

  /** The lines of a cut of the whole screen. */
  fresh(): LineKeys {
    return cutPicture({ ...this.#size, words: this.#words })
      .map(keyOf)
      .sort();
  }

  #happen(): string {
    const what = this.#upTo(9);
    if (what <= 2) {
      // As long as a word, as high as a line.
      this.#put(this.#rect(4 + this.#upTo(70), 6 + this.#upTo(18)));
      return "typed";
    }
    if (what <= 4) return this.#scroll();
    if (what === 5) {
      const rect = this.#rect(40 + this.#upTo(260), 30 + this.#upTo(160));
      this.#below.push({ rect, words: this.#read(rect) });
      this.#put(rect);
      return "laid a window over it";
    }
    if (what === 6) {
      const under = this.#below.pop();
      if (under === undefined) return "nothing";
      this.#write(under.rect, under.words);
      return "took a window away";
    }
    if (what === 7) {
      const rect = this.#rect(1 + this.#upTo(300), 1 + this.#upTo(160));
      this.#move(
        rect,
        this.#upTo(this.#size.width - rect.width),
        this.#upTo(this.#size.height - rect.height),
      );
      return "moved";
    }
    if (what === 8) {
      const rect = this.#rect(1 + this.#upTo(200), 1 + this.#upTo(60));
      this.#write(rect, this.#read(rect));
      return "painted the same again";
    }
    this.#fill(this.#rect(1 + this.#upTo(120), 1 + this.#upTo(40)), GROUNDS[this.#upTo(2)] ?? GROUNDS[0]);
    return "filled";
  }

  /** A part of the screen goes up or down, and what comes is painted. */
  #scroll(): string {
    const rect = this.#rect(120 + this.#upTo(300), 60 + this.#upTo(200));
    const by = 1 + this.#upTo(Math.min(53, rect.height - 2));
    const isUp = this.#upTo(1) === 0;
    const kept = { ...rect, height: rect.height - by };
    const [from, to] = isUp ? [rect.y + by, rect.y] : [rect.y, rect.y + by];
    this.#move({ ...kept, y: from }, rect.x, to);
    this.#put({ ...rect, y: isUp ? rect.y + rect.height - by : rect.y, height: by });
    return `scrolled by ${isUp ? by : -by}`;
  }

  #upTo(most: number): number {
    return this.#next() % (most + 1);
  }

  #rect(width: number, height: number): Rect {
    const fits = { width: Math.min(width, this.#size.width), height: Math.min(height, this.#size.height) };
    return {
      x: this.#upTo(this.#size.width - fits.width),
      y: this.#upTo(this.#size.height - fits.height),
      ...fits,
    };
  }

  /** Pixels of a real picture, from anywhere in it. */
  #put(rect: Rect): void {
    const frame = this.#frames[this.#upTo(this.#frames.length - 1)];
    if (frame === undefined) throw new Error("no pictures");
    const words = new Uint32Array(rect.width * rect.height);
    const left = this.#upTo(Math.max(0, frame.width - rect.width));
    const top = this.#upTo(Math.max(0, frame.height - rect.height));
    for (let y = 0; y < rect.height; y++) {
      const from = ((top + y) % frame.height) * frame.width + left;
      words.set(frame.words.subarray(from, from + Math.min(rect.width, frame.width)), y * rect.width);
    }
    this.#write(rect, words);
  }

  #tile(frame: PixelPicture): void {
    const { width, height } = this.#size;
    const words = new Uint32Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++)
        words[y * width + x] = frame.words[(y % frame.height) * frame.width + (x % frame.width)] ?? 0;
    }
    this.#write({ x: 0, y: 0, width, height }, words);
  }

  #fill(rect: Rect, colour: number): void {
    this.#write(rect, new Uint32Array(rect.width * rect.height).fill(colour));
  }

  #read({ x, y, width, height }: Rect): Uint32Array {
    const words = new Uint32Array(width * height);
    for (let row = 0; row < height; row++) {
      const from = (y + row) * this.#size.width + x;
      words.set(this.#words.subarray(from, from + width), row * width);
    }
    return words;
  }

  #write(rect: Rect, words: Uint32Array): void {
    this.#place(rect, words);
    this.#index.paint(rect, new Uint8Array(words.buffer));
  }

  #move(from: Rect, x: number, y: number): void {
    const to = { ...from, x, y };
    this.#place(to, this.#read(from));
    this.#index.copy({ fromX: from.x, fromY: from.y, to });
  }

  #place({ x, y, width, height }: Rect, words: Uint32Array): void {
    for (let row = 0; row < height; row++) {
      this.#words.set(words.subarray(row * width, (row + 1) * width), (y + row) * this.#size.width + x);
    }
  }
}

function keyOf(line: { left: number; top: number; right: number; bottom: number; hash: string }): string {
  return `${line.top},${line.left},${line.right},${line.bottom},${line.hash}`;
}
