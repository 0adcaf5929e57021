import type { Size } from "../../framebuffer/rect.ts";
import type { Deflate } from "../../protocols/platform.ts";
import { copyPixels } from "../pixels.ts";
import type { StripFormat } from "../strip-set.ts";
import { adler32, combineAdler32 } from "./adler32.ts";
import { Palette } from "./palette.ts";
import { INDEXED, PNG_END, pngChunk, pngHead, ZLIB_HEADER, zlibTail } from "./png-chunk.ts";

/** Deflate levels: the higher one takes three times as long for a tenth fewer bytes. */
const LEVEL = 1;
const HARD_LEVEL = 6;

/** By how much of 255 a channel may be off: two text colours this near are one to every reader. */
const TOLERANCE = 6;

/** A strip of more colours than this is a photograph's. */
const MOST_MISSES = 4096;

interface IndexedStrip {
  readonly chunk: Buffer;
  readonly adler: number;
  readonly sizeBytes: number;
}

interface StripWords {
  readonly words: Uint32Array;
  readonly width: number;
  readonly rows: number;
}

/**
 * PNG of one byte a pixel for pictures of few colours, a third of the bytes and of the work: for pictures made smaller,
 * whose pixels are means anyway. Throws PaletteFullError for others.
 */
export function indexedStripFormat(size: Size, deflate: Deflate): StripFormat<StripWords, IndexedStrip> {
  const palette = new Palette(TOLERANCE);
  const compress = ({ words, width, rows }: StripWords, level: number): IndexedStrip => {
    // Filter type 0, None, before each row: indices are no amounts.
    const bytes = new Uint8Array((1 + width) * rows);
    let misses = 0;
    for (let y = 0; y < rows; y++) {
      misses += palette.map(words, y * width, width, bytes, y * (1 + width) + 1, MOST_MISSES - misses);
    }
    const chunk = pngChunk("IDAT", deflate.rawSegment(bytes, level));
    return { chunk, adler: adler32(bytes), sizeBytes: bytes.length };
  };
  return {
    take: (pixels, width, rows) => ({
      words: new Uint32Array(copyPixels(pixels, width, rows).buffer),
      width,
      rows,
    }),
    rgbaOf: ({ words }) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
    compress: (taken) => compress(taken, LEVEL),
    compressHarder(taken, strip) {
      const harder = compress(taken, HARD_LEVEL);
      return harder.adler === strip.adler && harder.chunk.length < strip.chunk.length ? harder : null;
    },
    assemble(strips) {
      const chunks: Uint8Array[] = [
        pngHead(size, INDEXED),
        pngChunk("PLTE", palette.bytes),
        pngChunk("IDAT", ZLIB_HEADER),
      ];
      let adler = 1;
      for (const strip of strips) {
        chunks.push(strip.chunk);
        adler = combineAdler32(adler, strip.adler, strip.sizeBytes);
      }
      return Buffer.concat([...chunks, pngChunk("IDAT", zlibTail(adler)), PNG_END]);
    },
  };
}
