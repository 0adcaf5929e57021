import { ByteWriter } from "../../byte-writer.ts";
import type { Deflate } from "../../platform.ts";
import { PNG_COLOUR, PNG_SIGNATURE } from "./png-read.ts";

/** The last block of a deflate stream, empty (RFC 1951 section 3.2.4). */
const LAST_BLOCK = Uint8Array.of(1, 0, 0, 0xff, 0xff);
const ZLIB_HEADER = Uint8Array.of(0x78, 0x01);

const ADLER_MODULUS = 65_521;
/** So many bytes may be summed before the sums must be cut, RFC 1950 section 9. */
const ADLER_BYTES = 3800;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/**
 * A whole PNG image of 8 bits a sample. `rows` holds of each row the filter's number and the filtered samples;
 * `palette` R, G, B of each colour, or null where the samples are R, G, B themselves.
 */
export function writePng(
  rows: Uint8Array,
  width: number,
  height: number,
  palette: Uint8Array | null,
  deflate: Deflate,
  level: number,
): Uint8Array {
  const to = new ByteWriter(1024).put(PNG_SIGNATURE);
  const colour = palette === null ? PNG_COLOUR.rgb : PNG_COLOUR.indexed;
  const header = new ByteWriter(16).u32(width).u32(height).u8(8).u8(colour).pad(3);
  putChunk(to, "IHDR", header.bytes());
  if (palette !== null) putChunk(to, "PLTE", palette);
  // The port's own zlib streams are made to go on; an image's must end.
  const segment = deflate.rawSegment(rows, level);
  const data = new ByteWriter(segment.length + 16).put(ZLIB_HEADER).put(segment).put(LAST_BLOCK);
  putChunk(to, "IDAT", data.u32(adler32(rows)).bytes());
  putChunk(to, "IEND", new Uint8Array(0));
  return to.bytes();
}

function putChunk(to: ByteWriter, type: string, data: Uint8Array): void {
  to.u32(data.length);
  const start = to.length;
  to.ascii(type).put(data);
  to.u32(crc32(to.bytes().subarray(start)));
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = CRC_TABLE[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let start = 0; start < bytes.length; start += ADLER_BYTES) {
    const end = Math.min(bytes.length, start + ADLER_BYTES);
    for (let i = start; i < end; i++) {
      a += bytes[i]!;
      b += a;
    }
    a %= ADLER_MODULUS;
    b %= ADLER_MODULUS;
  }
  return ((b << 16) | a) >>> 0;
}
