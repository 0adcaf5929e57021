import type { InflateStream, JpegCodec } from "../../platform.ts";
import { RfbError } from "../error.ts";
import type { DecoderPorts, DecoderState } from "./encoding.ts";
import { Scratch } from "./scratch.ts";

/** The most scratch memory one connection's decoders may take; no rectangle of ours needs more than about 4.3 MiB. */
export const SCRATCH_LIMIT_BYTES = 8 * 1024 * 1024;

/** The memory of one connection's decoders; its owner closes it with the connection. */
export class DecoderStreams implements DecoderState {
  readonly #ports: DecoderPorts;
  readonly #streams = new Map<string, InflateStream>();
  readonly #scratch = new Scratch(SCRATCH_LIMIT_BYTES);
  #isClosed = false;

  constructor(ports: DecoderPorts) {
    this.#ports = ports;
  }

  get jpeg(): JpegCodec {
    return this.#ports.jpeg;
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

  /** Throws RfbError `too_large` beyond SCRATCH_LIMIT_BYTES. */
  scratch(sizeBytes: number): Uint8Array<ArrayBuffer> {
    if (sizeBytes > SCRATCH_LIMIT_BYTES) {
      throw new RfbError(
        "too_large",
        "rectangle",
        `rectangle needs ${sizeBytes} bytes of working memory, at most ${SCRATCH_LIMIT_BYTES} are given`,
      );
    }
    return this.#scratch.take(sizeBytes);
  }

  /** Frees all streams and the memory; harmless when repeated. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#scratch.free();
  }
}
