import type { Picture } from "../../framebuffer/picture.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { Deflate } from "../../protocols/platform.ts";
import type { EncodingPool } from "../encoding/encoding-pool.ts";
import { equalSizes } from "../pixels.ts";
import { type Changing, StripSet } from "../strip-set.ts";
import { pngStripFormat } from "./png-strip-format.ts";

/**
 * The PNG of a picture that changes in places: an encode costs what was invalidated since the last one, and nothing
 * where nothing was. One a picture; a picture of another size starts over. See StripSet for what a result shows.
 */
export class PngStrips {
  readonly #deflate: Deflate;
  readonly #pool: EncodingPool | null;
  #set: ReturnType<typeof setOf> | null = null;

  /** `pool`: threads that take part; default none. */
  constructor(deflate: Deflate, pool: EncodingPool | null = null) {
    this.#deflate = deflate;
    this.#pool = pool;
  }

  /** Says what changed since the last encode; null: all. What lies outside of the picture is ignored. */
  invalidate(region: Region | null): void {
    this.#set?.invalidate(region);
  }

  /** True while pixels are taken, in this turn and later ones. */
  get isTaking(): boolean {
    return this.#set?.isTaking === true;
  }

  /**
   * The whole picture: RGB, 8 bits a channel. Until something is invalidated it is the same buffer each time, so
   * nobody writes to it. See StripSet for when `source` is read.
   */
  async encode(source: Picture, changing?: Changing): Promise<Buffer> {
    if (this.#set === null || !equalSizes(this.#set, source)) {
      this.#set = setOf(source, this.#deflate, this.#pool);
    }
    return await this.#set.encode(source, changing);
  }

  /** Makes what did not change since it was encoded smaller, in the background; see StripSet. */
  async settle(source: Picture, isOver: () => boolean): Promise<void> {
    if (this.#set !== null && equalSizes(this.#set, source)) await this.#set.settle(source, isOver);
  }
}

function setOf({ width, height }: Size, deflate: Deflate, pool: EncodingPool | null) {
  return new StripSet({ width, height }, pngStripFormat({ width, height }, deflate, pool));
}
