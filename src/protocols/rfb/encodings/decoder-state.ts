import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { InflateStream, JpegCodec } from "../../platform.ts";
import { RfbError } from "../error.ts";
import type { DecoderPorts, DecoderState } from "./encoding.ts";
import { JpegTables } from "./jpeg-tables.ts";
import { makePixelReader, type PixelReader, RGBX_READER } from "./pixel-reader.ts";
import { ScratchPool } from "./scratch.ts";

/** The most scratch memory one connection's decoders may take; no rectangle of ours needs more than about 4.3 MiB. */
export const SCRATCH_LIMIT_BYTES = 8 * 1024 * 1024;

/** Of an entry of SetColourMapEntries: U16 red, U16 green, U16 blue. */
const COLOUR_BYTES = 6;

/** Of all connections of a thread: a rectangle that waits for bytes keeps what it has, all others have none. */
const pool = new ScratchPool(SCRATCH_LIMIT_BYTES);

/** The memory of one connection's decoders; its owner closes it with the connection. */
export class DecoderStreams implements DecoderState {
  readonly jpegTables = new JpegTables();
  readonly #ports: DecoderPorts;
  readonly #streams = new Map<string, InflateStream>();
  #scratch: Uint8Array<ArrayBuffer> | null = null;
  #pixels = RGBX_READER;
  /** Words of a colour map, none while the format has true colour. */
  #colours = new Uint32Array(0);
  #isClosed = false;

  constructor(ports: DecoderPorts) {
    this.#ports = ports;
  }

  get jpeg(): JpegCodec {
    return this.#ports.jpeg;
  }

  get pixels(): PixelReader {
    return this.#pixels;
  }

  get format(): PixelFormat {
    return this.#pixels.format;
  }

  /** A new format without true colour begins all black. Throws RfbError `bad_pixel_format`. */
  set format(format: PixelFormat) {
    const isMapped = !format.isTrueColour && format.bitsPerPixel <= 16;
    const colours = new Uint32Array(isMapped ? 2 ** format.bitsPerPixel : 0).fill(OPAQUE);
    this.#pixels = makePixelReader(format, colours);
    this.#colours = colours;
  }

  setColours(first: number, entries: Uint8Array): void {
    const colours = this.#colours;
    if (colours.length === 0) return;
    const count = Math.floor(entries.length / COLOUR_BYTES);
    if (first + count > colours.length) {
      throw new RfbError(
        "bad_data",
        "message",
        `got ${count} colours from ${first} on, expected at most ${colours.length} in all`,
      );
    }
    // Of 16 bits the upper eight are what a screen of ours can show.
    for (let i = 0, p = 0; i < count; i++, p += COLOUR_BYTES) {
      colours[first + i] =
        OPAQUE | (entries[p] ?? 0) | ((entries[p + 2] ?? 0) << 8) | ((entries[p + 4] ?? 0) << 16);
    }
  }

  /** Throws an Error after `close`. */
  stream(name: string): InflateStream {
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      if (this.#isClosed) throw new Error(`zlib stream "${name}" asked for after the connection was closed`);
      stream = this.#ports.inflate();
      this.#streams.set(name, stream);
    }
    return stream;
  }

  resetStream(name: string): void {
    this.#streams.get(name)?.reset();
  }

  /** Throws RfbError `too_large` beyond SCRATCH_LIMIT_BYTES. */
  scratch(sizeBytes: number): Uint8Array<ArrayBuffer> {
    if (sizeBytes > SCRATCH_LIMIT_BYTES) {
      throw new RfbError(
        "too_large",
        "rectangle",
        `rectangle needs ${sizeBytes} bytes of working memory, at most ${SCRATCH_LIMIT_BYTES} are given`,
      );
    }
    if (this.#scratch !== null && this.#scratch.length >= sizeBytes) return this.#scratch;
    this.release();
    this.#scratch = pool.take(sizeBytes);
    return this.#scratch;
  }

  release(): void {
    if (this.#scratch !== null) pool.giveBack(this.#scratch);
    this.#scratch = null;
  }

  /** Frees all streams and the memory; harmless when repeated. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.release();
  }
}
