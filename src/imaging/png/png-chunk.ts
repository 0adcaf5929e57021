import { crc32 } from "node:zlib";
import type { Size } from "../../framebuffer/rect.ts";

/** PNG (third edition) section 5.2. */
const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);

/** zlib header, RFC 1950 section 2.2: deflate, 32 KiB window, fastest level. */
export const ZLIB_HEADER = Uint8Array.of(0x78, 0x01);

/**
 * A chunk, section 5.3:
 *
 *     length (4) | type (4) | data (length) | CRC of type and data (4)
 */
export function pngChunk(type: "IHDR" | "PLTE" | "IDAT" | "IEND", ...data: readonly Uint8Array[]): Buffer {
  const length = data.reduce((sum, part) => sum + part.length, 0);
  const chunk = Buffer.allocUnsafe(4 /* length */ + 4 /* type */ + length + 4 /* crc */);
  chunk.writeUInt32BE(length, 0);
  chunk.write(type, 4, "latin1");
  let at = 8;
  for (const part of data) {
    chunk.set(part, at);
    at += part.length;
  }
  chunk.writeUInt32BE(crc32(chunk.subarray(4, at)), at);
  return chunk;
}

/** Colour types, section 11.2.1. */
const TRUECOLOUR = 2;
export const INDEXED = 3;

/** Signature and IHDR (section 11.2.1) of an RGB or indexed picture, 8 bits a channel or index, not interlaced. */
export function pngHead(
  { width, height }: Size,
  colourType: typeof TRUECOLOUR | typeof INDEXED = TRUECOLOUR,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits a channel
  header[9] = colourType;
  return Buffer.concat([SIGNATURE, pngChunk("IHDR", header)]);
}

export const PNG_END: Uint8Array = pngChunk("IEND");

/** The end of a zlib stream of sync-flushed segments: an empty last stored block and the checksum of all. */
export function zlibTail(adler: number): Uint8Array {
  const tail = Buffer.from([0x01, 0x00, 0x00, 0xff, 0xff, 0, 0, 0, 0]);
  tail.writeUInt32BE(adler, 5);
  return tail;
}
