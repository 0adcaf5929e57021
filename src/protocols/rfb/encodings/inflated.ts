import type { ByteQueue } from "../../byte-queue.ts";
import type { InflateStream } from "../../platform.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";

/** Compressed bytes fed at once where the whole rectangle does not fit into the window. */
const SLICE_BYTES = 4096;

/**
 * What a slice can inflate to: a length and a distance take two bits at least and give 258 bytes at most; the stream
 * may keep up to eight bytes of earlier input in its bit buffer.
 */
const SLICE_ROOM_BYTES = (SLICE_BYTES + 8) * 1032;

/** Room for one byte too many tells at once that there is one; with the output full the stream has to be asked again. */
const SPARE_BYTES = 1;

/** The compressed length above which a rectangle is refused: stored blocks cost a little, empty ones are for flushes. */
function mostCompressed(decodedBytes: number): number {
  return decodedBytes + (decodedBytes >> 3) + 64 * 1024;
}

/**
 * A compressed part of a rectangle, inflated as it arrives: a window of decoded bytes from `start` to `end` in
 * `bytes`. The decoder asks for what it wants next with `while (!body.fill(n)) yield 1`, reads at `start` and moves
 * it. Memory is bounded by the smaller of what the rectangle may decode to and a fixed window, whatever arrives.
 *
 * INVARIANT: 0 <= start <= end <= bytes.length; bytes before `start` are gone after the next `fill`.
 */
export class Inflated {
  readonly bytes: Uint8Array<ArrayBuffer>;
  start = 0;
  end = 0;
  readonly #name: string;
  readonly #from: ByteQueue;
  readonly #stream: InflateStream;
  readonly #capacity: number;
  #compressedLeft: number;
  #decodedLeft: number;

  /**
   * `compressedBytes` of `from` belong to the rectangle and may decode to `mostBytes`; `fill` is asked for at most
   * `mostAtOnce`. Throws RfbError `bad_data` for a compressed length that no such rectangle has.
   */
  constructor(
    name: string,
    from: ByteQueue,
    stream: InflateStream,
    state: DecoderState,
    compressedBytes: number,
    mostBytes: number,
    mostAtOnce: number,
  ) {
    const most = mostCompressed(mostBytes);
    if (compressedBytes > most) {
      throw badData(`${name} data of ${compressedBytes} bytes where the rectangle allows ${most}`);
    }
    this.#name = name;
    this.#from = from;
    this.#stream = stream;
    this.#compressedLeft = compressedBytes;
    this.#decodedLeft = mostBytes;
    this.#capacity = Math.min(mostBytes, mostAtOnce + SLICE_ROOM_BYTES);
    this.bytes = state.scratch(this.#capacity + SPARE_BYTES);
  }

  /**
   * True when `count` bytes are in the window, or fewer because the compressed part is at its end; false while it
   * waits for the peer. Throws RfbError `bad_data` where the stream is damaged or decodes to more than allowed.
   */
  fill(count: number): boolean {
    while (this.end - this.start < count && this.#compressedLeft > 0) {
      if (this.#from.size === 0) return false;
      this.#inflateSome();
    }
    return true;
  }

  /** Nothing may be left once the pixels are read; entered after the last `fill(1)`. */
  checkUsedUp(): void {
    if (this.end !== this.start) {
      throw badData(`${this.#name} data goes on after the last pixel of the rectangle`);
    }
  }

  #inflateSome(): void {
    this.#makeRoom();
    const room = Math.min(this.#decodedLeft, this.#capacity - this.end);
    const isWhole = room === this.#decodedLeft;
    const ready = Math.min(this.#compressedLeft, this.#from.size);
    const input = this.#from.take(isWhole ? ready : Math.min(ready, SLICE_BYTES));
    this.#compressedLeft -= input.length;
    const written = this.#inflate(input, this.bytes.subarray(this.end, this.end + room + SPARE_BYTES));
    if (written > this.#decodedLeft) {
      throw badData(`${this.#name} data decodes to more than the rectangle holds`);
    }
    this.end += written;
    this.#decodedLeft -= written;
  }

  #inflate(input: Uint8Array, output: Uint8Array): number {
    try {
      return this.#stream.inflate(input, output);
    } catch (cause) {
      throw badData(`${this.#name} data is damaged or decodes to more than the rectangle holds`, cause);
    }
  }

  #makeRoom(): void {
    const wanted = Math.min(this.#decodedLeft, SLICE_ROOM_BYTES);
    if (this.#capacity - this.end >= wanted) return;
    this.bytes.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
  }
}
