import type { PixelFormat } from "../framebuffer/pixel-format.ts";
import type { RectWork } from "../protocols/rfb/server/rfb-server.ts";

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Encoded rectangles of one desktop's picture as it is now, shared by all its viewers: encode once, send to all.
 * A newer picture makes every older one useless, since all viewers get the newest; so only the newest is kept.
 */
export class ViewerRectCache {
  readonly #maxBytes: number;
  readonly #bodies = new Map<string, Uint8Array>();
  #stamp = "";
  #sizeBytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** `stamp` names the picture, `layers` what of it is drawn. */
  get(stamp: string, layers: string, work: RectWork, encode: () => Uint8Array): Uint8Array {
    if (stamp !== this.#stamp) {
      this.clear();
      this.#stamp = stamp;
    }
    const key = keyOf(layers, work);
    const known = this.#bodies.get(key);
    if (known !== undefined) return known;
    // A copy, since an encoder's memory may be twice as long as what is in it.
    const body = encode().slice();
    this.#bodies.set(key, body);
    this.#sizeBytes += body.length;
    this.#trim();
    return body;
  }

  clear(): void {
    this.#bodies.clear();
    this.#sizeBytes = 0;
  }

  #trim(): void {
    for (const [key, body] of this.#bodies) {
      if (this.#sizeBytes <= this.#maxBytes) return;
      this.#bodies.delete(key);
      this.#sizeBytes -= body.length;
    }
  }
}

function keyOf(layers: string, { encoding, rect, format, jpegQuality, compressLevel }: RectWork): string {
  const { x, y, width, height } = rect;
  return [layers, encoding.number, formatKey(format), jpegQuality, compressLevel, x, y, width, height].join(
    " ",
  );
}

function formatKey(f: PixelFormat): string {
  const order = f.isBigEndian ? "b" : "l";
  return [
    f.bitsPerPixel,
    f.depth,
    order,
    f.redMax,
    f.greenMax,
    f.blueMax,
    f.redShift,
    f.greenShift,
    f.blueShift,
  ].join();
}
