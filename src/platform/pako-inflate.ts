import {
  Z_BUF_ERROR,
  Z_OK,
  Z_STREAM_END,
  Z_SYNC_FLUSH,
  ZStream,
  zlibInflate,
  zlibInflateEnd,
  zlibInflateInit,
  zlibInflateReset,
} from "pako";
import type { Inflate, InflateStream } from "../protocols/platform.ts";

/** Inflate in JavaScript alone: for a Node whose zlib internals are not what we know. */
export const pakoInflate: Inflate = () => new PakoInflateStream();

class PakoInflateStream implements InflateStream {
  readonly #z = new ZStream();
  readonly #probe = new Uint8Array(1);
  #isClosed = false;

  constructor() {
    const status = zlibInflateInit(this.#z);
    if (status !== Z_OK) throw new Error(`pako inflate did not start, status ${status}`);
  }

  inflate(input: Uint8Array, output: Uint8Array): number {
    this.#checkOpen();
    const z = this.#z;
    z.input = input;
    z.next_in = 0;
    z.avail_in = input.length;
    let written = 0;
    if (output.length > 0) written = this.#step(output);
    if (written === output.length && this.#step(this.#probe) > 0) {
      throw new Error(`zlib data decodes to more than ${output.length} bytes`);
    }
    if (z.avail_in > 0) throw new Error(`${z.avail_in} bytes after the end of the zlib stream`);
    return written;
  }

  #step(output: Uint8Array): number {
    const z = this.#z;
    const { buffer } = output;
    if (!(buffer instanceof ArrayBuffer))
      throw new Error("inflate into shared memory, expected memory of our own");
    z.output = new Uint8Array(buffer, output.byteOffset, output.length);
    z.next_out = 0;
    z.avail_out = output.length;
    const status = zlibInflate(z, Z_SYNC_FLUSH);
    if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
      throw new Error(`zlib stream damaged: ${z.msg === "" ? `status ${status}` : z.msg}`);
    }
    return output.length - z.avail_out;
  }

  reset(): void {
    this.#checkOpen();
    zlibInflateReset(this.#z);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    zlibInflateEnd(this.#z);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error("zlib stream used after it was closed");
  }
}
