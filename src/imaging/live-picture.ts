import type { Picture } from "../framebuffer/picture.ts";
import type { Rect, Size } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import { nextTurn } from "../platform/loop-turns.ts";
import type { Deflate, JpegCodec } from "../protocols/platform.ts";
import type { EncodingPool } from "./encoding/encoding-pool.ts";
import { JpegStrips } from "./jpeg/jpeg-strips.ts";
import { equalSizes } from "./pixels.ts";
import { indexedStripFormat } from "./png/indexed-strip-format.ts";
import { PaletteFullError } from "./png/palette.ts";
import { PngStrips } from "./png/png-strips.ts";
import { ScaledFrame } from "./scale/scaled-frame.ts";
import { StripSet } from "./strip-set.ts";

/** JPEG qualities kept at a time. */
const MAX_QUALITIES = 2;

export interface LivePorts {
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  /** Threads that take part; absent, all is done on the loop, in slices. */
  readonly encoding?: EncodingPool | undefined;
}

/** A picture at one size, kept encoded: what is asked for again costs what changed meanwhile. */
export class LivePicture {
  readonly #ports: LivePorts;
  readonly #scaled: ScaledFrame | null;
  readonly #png: PngStrips;
  /** Of a smaller picture of few colours; null where it has many. */
  #indexed: ReturnType<typeof indexedSet> | null;
  readonly #jpegs = new Map<number, JpegStrips>();
  readonly #changing = (): Promise<void> | null => this.#scaled?.updating ?? null;

  /** `size` is not larger than `from` in either direction. */
  constructor(from: Size, size: Size, ports: LivePorts) {
    this.#ports = ports;
    this.#scaled = equalSizes(from, size)
      ? null
      : new ScaledFrame(from, size, {
          scaled: (part) => this.#drop(Region.of(part)),
          isTaken: () => this.#strips.some(({ isTaking }) => isTaking),
        });
    this.#png = new PngStrips(ports.deflate, ports.encoding);
    this.#indexed = this.#scaled === null ? null : indexedSet(size, ports.deflate);
  }

  /** Says what changed, pixels of the source. */
  invalidate(region: Region): void {
    // Of a smaller picture what is encoded is as it was until that place is scaled again.
    if (this.#scaled === null) this.#drop(region);
    else this.#scaled.invalidate(region);
  }

  /** The source at this size, up to date when it resolves. */
  async picture(source: Picture): Promise<Picture> {
    if (this.#scaled === null) return source;
    await this.#scaled.update(source);
    return this.#scaled.picture;
  }

  /** Exact at the source's own size; a smaller one's colours may be off by 6 of 255, where that makes it smaller. */
  async png(source: Picture): Promise<Buffer> {
    const indexed = await this.#indexedPng(source);
    return indexed ?? (await this.#png.encode(await this.picture(source), this.#changing));
  }

  async jpeg(source: Picture, quality: number): Promise<Buffer> {
    return await this.#jpegOf(quality).encode(await this.picture(source), this.#changing);
  }

  /** Makes a PNG of what stays as it is smaller, in the background; `isOver` ends it early. */
  async settle(source: Picture, isOver: () => boolean): Promise<void> {
    const picture = await this.picture(source);
    if (isOver()) return;
    if (this.#indexed === null) await this.#png.settle(picture, isOver);
    else await this.#indexed.settle(picture, isOver);
  }

  /** Pixels of this size that a rectangle of the source has a part in. */
  placeOf(r: Rect): Rect {
    return this.#scaled === null ? r : this.#scaled.touchedBy(r);
  }

  /** Pixels of the source that a rectangle of this size shows, whole or in part. */
  shownBy(place: Rect): Rect {
    return this.#scaled === null ? place : this.#scaled.coveredBy(place);
  }

  get #strips(): readonly Pick<JpegStrips, "invalidate" | "isTaking">[] {
    const indexed = this.#indexed === null ? [] : [this.#indexed];
    return [this.#png, ...indexed, ...this.#jpegs.values()];
  }

  #drop(region: Region): void {
    for (const strips of this.#strips) strips.invalidate(region);
  }

  /** null where it has too many colours, from then on. */
  async #indexedPng(source: Picture): Promise<Buffer | null> {
    // A palette filled by what is gone makes room for a new one; a picture that fills a new one has too many.
    for (let attempt = 0; attempt < 2; attempt++) {
      const set = this.#indexed;
      if (set === null) return null;
      try {
        return await set.encode(await this.picture(source), this.#changing);
      } catch (error) {
        if (!(error instanceof PaletteFullError)) throw error;
        const isNew = attempt === 1 || !set.isWhole;
        if (this.#indexed === set) this.#indexed = isNew ? null : indexedSet(set, this.#ports.deflate);
        // What failed took its slice of the event loop, and the next attempt takes another.
        await nextTurn();
      }
    }
    return null;
  }

  #jpegOf(quality: number): JpegStrips {
    const known = this.#jpegs.get(quality);
    if (known !== undefined) return known;
    const [oldest] = this.#jpegs.keys();
    if (oldest !== undefined && this.#jpegs.size === MAX_QUALITIES) this.#jpegs.delete(oldest);
    const made = new JpegStrips(this.#ports.jpeg, quality, this.#ports.encoding);
    this.#jpegs.set(quality, made);
    return made;
  }
}

function indexedSet(size: Size, deflate: Deflate) {
  const { width, height } = size;
  return new StripSet({ width, height }, indexedStripFormat({ width, height }, deflate));
}
