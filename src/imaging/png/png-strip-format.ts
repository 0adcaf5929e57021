import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Deflate } from "../../protocols/platform.ts";
import type { PngStrip, StripPixels } from "../encoding/encoding-messages.ts";
import { type EncodingPool, takeStrip } from "../encoding/encoding-pool.ts";
import type { StripFormat } from "../strip-set.ts";
import { combineAdler32 } from "./adler32.ts";
import { PNG_END, pngChunk, pngHead, ZLIB_HEADER, zlibTail } from "./png-chunk.ts";
import { type FilteredRows, filterPixels } from "./png-rows.ts";

/** Deflate levels: where there is no kernel, and for strips that stay as they are. */
const LEVEL = 1;
const HARD_LEVEL = 6;

export function compressPngStrip(taken: StripPixels, deflate: Deflate): PngStrip {
  const rows = filtered(taken);
  const rowBytes = 1 /* filter type */ + 3 * taken.width;
  return stripOf(rows, deflate.rgbRows?.(rows.bytes, rowBytes) ?? deflate.rawSegment(rows.bytes, LEVEL));
}

function filtered({ rgba, width, rows }: StripPixels): FilteredRows {
  return filterPixels({ bytes: rgba, offset: 0, strideBytes: width * BYTES_PER_PIXEL }, width, rows);
}

function stripOf({ bytes, adler }: FilteredRows, data: Uint8Array): PngStrip {
  return { chunk: pngChunk("IDAT", data), adler, sizeBytes: bytes.length };
}

/**
 * The file is one zlib stream in several IDAT chunks: its header, a sync-flushed raw deflate segment of each strip, an
 * empty last block with the checksum combined from the strips'.
 */
export function pngStripFormat(
  size: Size,
  deflate: Deflate,
  pool: EncodingPool | null,
): StripFormat<StripPixels, PngStrip> {
  const head = Buffer.concat([pngHead(size), pngChunk("IDAT", ZLIB_HEADER)]);
  return {
    aside: pool?.aside(
      (strips) => ({ kind: "png", strips }),
      (encoded) => (encoded.kind === "png" ? encoded.strips : null),
    ),
    // As they are: what it costs to filter them is part of a slice, not of the turn in which all strips are taken.
    take: (pixels, width, rows, _y, old) => takeStrip(pool, pixels, { width, rows }, old),
    rgbaOf: ({ rgba }) => rgba,
    compress: (taken) => compressPngStrip(taken, deflate),
    compressHarder(taken, strip) {
      const rows = filtered(taken);
      if (rows.adler !== strip.adler) return null;
      const harder = stripOf(rows, deflate.rawSegment(rows.bytes, HARD_LEVEL));
      return harder.chunk.length < strip.chunk.length ? harder : null;
    },
    assemble(strips) {
      const chunks: Uint8Array[] = [head];
      let adler = 1;
      for (const strip of strips) {
        chunks.push(strip.chunk);
        adler = combineAdler32(adler, strip.adler, strip.sizeBytes);
      }
      return Buffer.concat([...chunks, pngChunk("IDAT", zlibTail(adler)), PNG_END]);
    },
  };
}
