import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { type Rect, rect, type Size } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import { decodePng, pngSize } from "../../../imaging/png/png-decode.ts";

/** What changes is told in squares of so many pixels. */
const TILE = 64;

export interface PagePicturePorts {
  /** What the page is to measure now; a frame of another size was made before it was told so. */
  wanted(): Size;
  /** The picture has another size, all of it is new. */
  resized(): void;
  painted(region: Region): void;
  failed(error: unknown): void;
}

/** The page's picture: PNGs as they come, decoded one after the other in another thread, and what of them is new. */
export class PagePicture {
  readonly #framebuffer: Framebuffer;
  readonly #ports: PagePicturePorts;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Frames that are not decoded yet. */
  waiting = 0;

  constructor(framebuffer: Framebuffer, ports: PagePicturePorts) {
    this.#framebuffer = framebuffer;
    this.#ports = ports;
  }

  /** Resolves when the frame, and all before it, are in the picture; one of another size is left out. */
  take(base64: string): Promise<void> {
    this.waiting += 1;
    const taken = this.#last.then(() => this.#take(Buffer.from(base64, "base64")));
    this.#last = taken
      .catch((error: unknown) => this.#ports.failed(error))
      .finally(() => {
        this.waiting -= 1;
      });
    return this.#last;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #take(png: Uint8Array): Promise<void> {
    const size = pngSize(png);
    if (this.#isClosed || !isSize(size, this.#ports.wanted())) return;
    const { rgba } = await decodePng(png, size);
    if (this.#isClosed || !isSize(size, this.#ports.wanted())) return;
    const words = wordsOf(rgba);
    const framebuffer = this.#framebuffer;
    if (!isSize(size, framebuffer)) {
      framebuffer.resize(size.width, size.height);
      framebuffer.paint(framebuffer.rect);
      copy(words, framebuffer.words, size.width, framebuffer.rect);
      this.#ports.resized();
      this.#ports.painted(Region.of(framebuffer.rect));
      return;
    }
    const changed = changedTiles(words, framebuffer);
    for (const tile of changed) {
      framebuffer.paint(tile);
      copy(words, framebuffer.words, size.width, tile);
    }
    this.#ports.painted(Region.from(changed));
  }
}

function isSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

function wordsOf(rgba: Uint8Array): Uint32Array {
  const aligned = rgba.byteOffset % 4 === 0 ? rgba : rgba.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
}

function changedTiles(words: Uint32Array, framebuffer: Framebuffer): Rect[] {
  const { width, height } = framebuffer;
  const shown = framebuffer.words;
  const tiles: Rect[] = [];
  for (let y = 0; y < height; y += TILE) {
    for (let x = 0; x < width; x += TILE) {
      const tile = rect(x, y, Math.min(TILE, width - x), Math.min(TILE, height - y));
      if (differs(words, shown, width, tile)) tiles.push(tile);
    }
  }
  return tiles;
}

function differs(a: Uint32Array, b: Uint32Array, stride: number, { x, y, width, height }: Rect): boolean {
  for (let row = y; row < y + height; row++) {
    const end = row * stride + x + width;
    for (let at = row * stride + x; at < end; at++) if ((a[at]! | OPAQUE) >>> 0 !== b[at]!) return true;
  }
  return false;
}

function copy(from: Uint32Array, to: Uint32Array, stride: number, { x, y, width, height }: Rect): void {
  for (let row = y; row < y + height; row++) {
    const end = row * stride + x + width;
    for (let at = row * stride + x; at < end; at++) to[at] = from[at]! | OPAQUE;
  }
}
