import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { JpegCodec } from "../../protocols/platform.ts";
import type { JpegStrip, StripPixels } from "../encoding/encoding-messages.ts";
import { type EncodingPool, takeStrip } from "../encoding/encoding-pool.ts";
import { STRIP_ROWS, type StripFormat } from "../strip-set.ts";

/** Markers, ITU-T T.81 table B.1. */
const START_OF_FRAME = 0xc0;
const START_OF_SCAN = 0xda;
const RESTART_INTERVAL = 0xdd;
const RESTART_0 = 0xd0;
const END_OF_IMAGE = Uint8Array.of(0xff, 0xd9);

/**
 * Strips of a baseline JPEG are restart intervals (T.81 section E.1.4): compressed each on its own, since an interval
 * begins with no history, and put together under one header with RSTn between them.
 */
export function jpegStripFormat(
  size: Size,
  codec: JpegCodec,
  quality: number,
  pool: EncodingPool | null,
): StripFormat<StripPixels, JpegStrip> {
  return {
    aside: pool?.aside(
      (strips) => ({ kind: "jpeg", quality, strips }),
      (encoded) => (encoded.kind === "jpeg" ? encoded.strips : null),
    ),
    take: (pixels, width, rows, _y, old) => takeStrip(pool, pixels, { width, rows }, old),
    rgbaOf: ({ rgba }) => rgba,
    compress: (taken) => compressJpegStrip(taken, codec, quality),
    assemble(strips) {
      const parts: Uint8Array[] = [headOf(strips, size)];
      strips.forEach(({ data }, i) => {
        if (i > 0) parts.push(Uint8Array.of(0xff, RESTART_0 + ((i - 1) & 7)));
        parts.push(data);
      });
      return Buffer.concat([...parts, END_OF_IMAGE]);
    },
  };
}

/** Throws an Error where the codec gives something else than one baseline scan. */
export function compressJpegStrip(
  { rgba, width, rows }: StripPixels,
  codec: JpegCodec,
  quality: number,
): JpegStrip {
  return parse(codec.encode(rgba, width, rows, width * BYTES_PER_PIXEL, quality));
}

/** Throws an Error where the encoder's file is not one baseline scan up to the end. */
function parse(jpeg: Uint8Array): JpegStrip {
  const file = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let at = 2;
  let frameAt = -1;
  while (at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== START_OF_SCAN) {
    if (file[at + 1] === START_OF_FRAME) frameAt = at;
    at += 2 + file.readUInt16BE(at + 2);
  }
  if (frameAt < 0 || file[at + 1] !== START_OF_SCAN || file[file.length - 1] !== END_OF_IMAGE[1]) {
    throw new Error("jpeg strip refused: expected one baseline scan");
  }
  const dataAt = at + 2 + file.readUInt16BE(at + 2);
  const head = Buffer.from(file.subarray(0, dataAt));
  head.writeUInt16BE(0, frameAt + 5);
  return { head, frameAt, scanAt: at, data: file.subarray(dataAt, file.length - 2) };
}

/** The first strip's header with the whole height, and the restart interval: the MCUs of a strip. */
function headOf(strips: readonly JpegStrip[], { width, height }: Size): Buffer {
  const [first] = strips;
  if (first === undefined) throw new Error("jpeg of no strips");
  const { head, frameAt, scanAt } = first;
  if (!strips.every((strip) => Buffer.compare(strip.head, head) === 0)) {
    throw new Error("jpeg strips with different tables: expected the same for all");
  }
  const frame = Buffer.from(head.subarray(0, scanAt));
  frame.writeUInt16BE(height, frameAt + 5);
  // SOF: marker 2, length 2, precision 1, height 2, width 2, components 1, then of each id 1, sampling 1, table 1.
  const sampling = frame[frameAt + 11] ?? 0x11;
  const perRow = Math.ceil(width / (8 * (sampling >> 4)));
  const interval = perRow * (STRIP_ROWS / (8 * (sampling & 15)));
  const restart = Buffer.from([0xff, RESTART_INTERVAL, 0, 4, interval >> 8, interval & 255]);
  return Buffer.concat([frame, restart, head.subarray(scanAt)]);
}
