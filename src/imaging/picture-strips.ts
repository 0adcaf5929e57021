import type { Picture } from "../framebuffer/picture.ts";
import type { Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import { equalSizes } from "./pixels.ts";
import { type Changing, type StripFormat, StripSet } from "./strip-set.ts";

/**
 * The file of a picture that changes in places: an encode costs what was invalidated since the last one, and nothing
 * where nothing was. One a picture; a picture of another size starts over. See StripSet for what a result shows.
 */
export class PictureStrips<Taken, Strip> {
  readonly #formatOf: (size: Size) => StripFormat<Taken, Strip>;
  #set: StripSet<Taken, Strip> | null = null;

  constructor(formatOf: (size: Size) => StripFormat<Taken, Strip>) {
    this.#formatOf = formatOf;
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
   * The whole picture. Until something is invalidated it is the same buffer each time, so nobody writes to it. See
   * StripSet for when `source` is read.
   */
  async encode(source: Picture, changing?: Changing): Promise<Buffer> {
    if (this.#set === null || !equalSizes(this.#set, source)) {
      const size = { width: source.width, height: source.height };
      this.#set = new StripSet(size, this.#formatOf(size));
    }
    return await this.#set.encode(source, changing);
  }

  /** Makes what did not change since it was encoded smaller, in the background; see StripSet. */
  async settle(source: Picture, isOver: () => boolean): Promise<void> {
    if (this.#set !== null && equalSizes(this.#set, source)) await this.#set.settle(source, isOver);
  }
}
