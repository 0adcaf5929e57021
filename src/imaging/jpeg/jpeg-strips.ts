import type { Picture } from "../../framebuffer/picture.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { JpegCodec } from "../../protocols/platform.ts";
import type { EncodingPool } from "../encoding/encoding-pool.ts";
import { checkQuality, equalSizes } from "../pixels.ts";
import { type Changing, StripSet } from "../strip-set.ts";
import { jpegStripFormat } from "./jpeg-strip-format.ts";

/**
 * The JPEG, of one quality, of a picture that changes in places; pixel by pixel what one encode of all of it gives.
 * Costs what PngStrips cost: what was invalidated.
 */
export class JpegStrips {
  readonly #codec: JpegCodec;
  readonly #quality: number;
  readonly #pool: EncodingPool | null;
  #set: ReturnType<typeof setOf> | null = null;

  /** Quality 1 to 100, else a RangeError. `pool`: threads that take part; default none. */
  constructor(codec: JpegCodec, quality: number, pool: EncodingPool | null = null) {
    checkQuality(quality);
    this.#codec = codec;
    this.#quality = quality;
    this.#pool = pool;
  }

  /** Says what changed since the last encode; null: all. */
  invalidate(region: Region | null): void {
    this.#set?.invalidate(region);
  }

  /** True while pixels are taken, in this turn and later ones. */
  get isTaking(): boolean {
    return this.#set?.isTaking === true;
  }

  /** The whole picture; see StripSet for when `source` is read. */
  async encode(source: Picture, changing?: Changing): Promise<Buffer> {
    if (this.#set === null || !equalSizes(this.#set, source)) {
      this.#set = setOf(source, this.#codec, this.#quality, this.#pool);
    }
    return await this.#set.encode(source, changing);
  }
}

function setOf({ width, height }: Size, codec: JpegCodec, quality: number, pool: EncodingPool | null) {
  return new StripSet({ width, height }, jpegStripFormat({ width, height }, codec, quality, pool));
}
