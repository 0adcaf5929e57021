import { ByteWriter } from "../../byte-writer.ts";
import type { Deflate } from "../../platform.ts";

/** How a zlib stream begins (RFC 1950 section 2.2): deflate with a 32 KiB window. Segments follow bare. */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x01);

/**
 * Appends U32 length and zlib data, as ZRLE and Zlib have it. Each is a segment with a window of its own, ended by a
 * sync flush: a viewer's stream is the header and any segments in any order, so one segment serves all viewers.
 */
export function putSegment(
  to: ByteWriter,
  data: Uint8Array,
  deflate: Deflate,
  level: number,
  isStarted: boolean,
): void {
  const segment = deflate.rawSegment(data, level);
  const header = isStarted ? ZLIB_HEADER.subarray(0, 0) : ZLIB_HEADER;
  to.u32(header.length + segment.length)
    .put(header)
    .put(segment);
}

/** A body of `putSegment` that was made for a stream already started, as the first one of a viewer's stream. */
export function startStream(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const segment = body.subarray(4);
  const length = ZLIB_HEADER.length + segment.length;
  return new ByteWriter(4 + length).u32(length).put(ZLIB_HEADER).put(segment).bytes();
}
