import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../../framebuffer/picture.ts";
import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import type { Deflate, Inflate, InflateStream, JpegCodec } from "../../platform.ts";
import type { JpegTables } from "./jpeg-tables.ts";
import type { PixelReader } from "./pixel-reader.ts";

/** What the platform gives a connection's decoders. */
export interface DecoderPorts {
  readonly inflate: Inflate;
  readonly jpeg: JpegCodec;
}

/**
 * What a connection's decoders share: its pixel format, zlib streams and scratch memory. One a connection; closed with it.
 * `scratch(n)` is memory of at least n bytes that the next call to it may hand out again.
 */
export interface DecoderState {
  readonly jpeg: JpegCodec;
  /** How the server's pixels lie on the wire; RGBX until set. Setting throws RfbError `bad_pixel_format`. */
  format: PixelFormat;
  /** The reader of `format`. */
  readonly pixels: PixelReader;
  readonly jpegTables: JpegTables;
  /**
   * SetColourMapEntries, RFC 6143 section 7.6.2: from the colour `first` on, 6 bytes each (U16 red, green, blue).
   * Holds for pixels decoded later; without effect in true colour. Throws RfbError `bad_data` beyond the map.
   */
  setColours(first: number, entries: Uint8Array): void;
  /** The stream of a name ("zrle", "tight0" … "tight3", "zlib", "png"), made when first asked for. */
  stream(name: string): InflateStream;
  /** Forgets the history of a stream; where that was never asked for there is none. */
  resetStream(name: string): void;
  scratch(sizeBytes: number): Uint8Array<ArrayBuffer>;
  /** A rectangle is decoded: its scratch memory is others' from now on. */
  release(): void;
}

/**
 * What an encoder needs of the server side. Pixels come as RGBA rows.
 *
 * A body depends on the pixels and on `format`, `jpegQuality` and `compressLevel` alone, so it serves every viewer
 * that agrees in these; the one exception is the two bytes that begin a viewer's ZRLE stream (`zrleStarted`).
 */
export interface EncoderState {
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  /** JPEG quality 1 to 100 the viewer asked for, null for lossless only. */
  readonly jpegQuality: number | null;
  /** zlib level 1 to 9. */
  readonly compressLevel: number;
  /** What the viewer asked for: 8, 16 or 32 bits, true colour. */
  readonly format: PixelFormat;
  /**
   * False until this viewer got its first ZRLE rectangle; the encoder sets it. To make a body that is cached for all
   * viewers leave it true, and pass a viewer's first one through `startZrle` of zrle-encode.ts.
   */
  zrleStarted: boolean;
  /** The same for the stream of the encoding Zlib; the encoder sets it, and `startStream` of zlib-segment.ts begins one. */
  zlibStarted?: boolean;
}

/**
 * An encoding of RFC 6143 section 7.7 or rfbproto: how a rectangle's pixels lie on the wire.
 *
 * `decode` is entered when the 12-byte rectangle header was read and the rectangle is known to lie within the
 * picture; it reads the rest and writes the pixels, alpha 255. It throws RfbError for wrong data and never reads,
 * loops or takes memory beyond what the rectangle allows.
 */
export interface Encoding {
  readonly number: number;
  readonly name: string;
  decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void>;
  /** Appends the rectangle's body, without its header. Absent where we only decode. */
  encode?(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void;
}
