import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { badData } from "./bad-data.ts";
import { readRunLength, readWord } from "./blue-first.ts";
import { ClearBands } from "./clear-bands.ts";
import { paintSubcodecs } from "./clear-subcodecs.ts";
import { RunPainter } from "./run-painter.ts";

const HAS_GLYPH = 0x01;
const IS_GLYPH_HIT = 0x02;
const IS_CACHE_RESET = 0x04;

/** MS-RDPEGFX 2.2.4.1 and 3.3.1.9: a glyph's pixels, and how many are kept. */
const MOST_GLYPH_PIXELS = 1024;
const GLYPHS = 4000;

interface Glyph {
  readonly count: number;
  readonly words: Uint32Array;
}

/**
 * ClearCodec, MS-RDPEGFX 2.2.4.1 and 3.3.8.1, with the storages that live as long as the channel:
 *
 *     flags (1), seqNumber (1), glyphIndex (2, by flag), then but for a glyph that is stored already
 *     residualByteCount (4), bandsByteCount (4), subcodecByteCount (4), residual, bands, subcodecs
 *
 * The sequence number is not checked: the transport neither loses nor reorders.
 */
export class ClearCodec {
  readonly #glyphs = new Map<number, Glyph>();
  /** Made at first use: 10 MB. */
  #bands: ClearBands | null = null;
  #isLossy = false;

  /** True once a subcodec was used that is not exact. */
  get isLossy(): boolean {
    return this.#isLossy;
  }

  /** Paints a bitmap on `rect`, which is not empty and lies within `to`. Throws RdpError `bad_data`. */
  decode(bytes: Uint8Array, to: Framebuffer, rect: Rect): void {
    const from = new LittleEndianReader(bytes, "graphics");
    const flags = from.u8();
    from.skip(1 /* seqNumber */);
    if ((flags & IS_CACHE_RESET) !== 0) this.#bands?.rewind();
    const index = (flags & HAS_GLYPH) !== 0 ? from.u16() : null;
    if (index !== null) checkGlyph(index, rect);
    if ((flags & IS_GLYPH_HIT) !== 0) {
      if (index === null) throw badData("a stored glyph without its index, expected both");
      this.#paintGlyph(index, to, rect);
      return;
    }
    if (from.left > 0) this.#layers(from, to, rect);
    if (index !== null) this.#storeGlyph(index, to, rect);
  }

  #layers(from: LittleEndianReader, to: Framebuffer, rect: Rect): void {
    const residualBytes = from.u32();
    const bandsBytes = from.u32();
    const subcodecBytes = from.u32();
    const residual = from.part(residualBytes);
    const bands = from.part(bandsBytes);
    const subcodecs = from.part(subcodecBytes);
    if (residual.left > 0) paintResidual(residual, to, rect);
    if (bands.left > 0) {
      this.#bands ??= new ClearBands();
      this.#bands.decode(bands, to, rect);
    }
    if (paintSubcodecs(subcodecs, to, rect)) this.#isLossy = true;
  }

  #paintGlyph(index: number, to: Framebuffer, { x, y, width, height }: Rect): void {
    const glyph = this.#glyphs.get(index);
    if (glyph === undefined || glyph.count !== width * height) {
      throw badData(`glyph ${index} of ${width * height} pixels, expected one stored before`);
    }
    for (let row = 0; row < height; row++) {
      to.words.set(glyph.words.subarray(row * width, (row + 1) * width), (y + row) * to.width + x);
    }
  }

  #storeGlyph(index: number, from: Framebuffer, { x, y, width, height }: Rect): void {
    const words = new Uint32Array(width * height);
    for (let row = 0; row < height; row++) {
      const start = (y + row) * from.width + x;
      words.set(from.words.subarray(start, start + width), row * width);
    }
    this.#glyphs.set(index, { count: words.length, words });
  }
}

function checkGlyph(index: number, { width, height }: Rect): void {
  if (index >= GLYPHS) throw badData(`glyph ${index}, expected at most ${GLYPHS - 1}`);
  if (width * height > MOST_GLYPH_PIXELS) {
    throw badData(`a glyph of ${width}x${height} pixels, expected at most ${MOST_GLYPH_PIXELS}`);
  }
}

/** CLEARCODEC_RESIDUAL_DATA, 2.2.4.1.1.1: runs of a colour, blue first, that fill the whole bitmap. */
function paintResidual(from: LittleEndianReader, to: Framebuffer, rect: Rect): void {
  const painter = new RunPainter(to, rect);
  while (from.left > 0) painter.run(readWord(from), readRunLength(from));
  if (painter.left > 0)
    throw badData(`a residual layer ${painter.left} pixels short, expected the whole bitmap`);
}
