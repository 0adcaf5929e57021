import type { Size } from "../../framebuffer/rect.ts";
import { badData } from "../rfb/encodings/bad-data.ts";
import { decodeLatin1 } from "../rfb/latin1.ts";

/** Bytes up to the sizes of all three kinds of first chunk. */
const HEADER_BYTES = 30;

/** The size in the header of a WebP file, RFC 9649 sections 2.4 to 2.7. Throws RfbError `bad_data`. */
export function webpSize(bytes: Uint8Array): Size {
  if (bytes.length < HEADER_BYTES) {
    throw badData(`webp of ${bytes.length} bytes, expected at least ${HEADER_BYTES}`);
  }
  const text = (at: number): string => decodeLatin1(bytes.subarray(at, at + 4));
  if (text(0) !== "RIFF" || text(8) !== "WEBP") throw badData("webp without its signature");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (text(12)) {
    case "VP8 ":
      // Three bytes of frame tag, start code, then two sizes of 14 bits with 2 bits of scale each.
      if (view.getUint16(23) !== 0x9d01 || view.getUint8(25) !== 0x2a) break;
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      if (view.getUint8(20) !== 0x2f) break;
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X": {
      const width = view.getUint16(24, true) | (view.getUint8(26) << 16);
      const height = view.getUint16(27, true) | (view.getUint8(29) << 16);
      return { width: width + 1, height: height + 1 };
    }
  }
  throw badData("webp with a damaged header");
}
