import type { Picture } from "../framebuffer/picture.ts";
import type { Region } from "../framebuffer/region.ts";
import type { JpegCodec } from "../protocols/platform.ts";
import { jpegStripFormat } from "./jpeg-strip-format.ts";
import { checkQuality, equalSizes } from "./pixels.ts";
import { StripSet } from "./strip-set.ts";

/**
 * The JPEG, of one quality, of a picture that changes in places; pixel by pixel what one encode of all of it gives.
 * Costs what PngStrips cost: what was invalidated.
 */
export class JpegStrips {
  readonly #codec: JpegCodec;
  readonly #quality: number;
  #set: ReturnType<typeof setOf> | null = null;

  /** Quality 1 to 100, else a RangeError. */
  constructor(codec: JpegCodec, quality: number) {
    checkQuality(quality);
    this.#codec = codec;
    this.#quality = quality;
  }

  /** Says what changed since the last encode; null: all. */
  invalidate(region: Region | null): void {
    this.#set?.invalidate(region);
  }

  /** The whole picture; `source.pixels` is called before this returns, and never afterwards. */
  async encode(source: Picture): Promise<Buffer> {
    if (this.#set === null || !equalSizes(this.#set, source)) {
      this.#set = setOf(source, this.#codec, this.#quality);
    }
    return await this.#set.encode(source);
  }
}

function setOf(source: Picture, codec: JpegCodec, quality: number) {
  const { width, height } = source;
  return new StripSet(source, jpegStripFormat({ width, height }, codec, quality));
}
