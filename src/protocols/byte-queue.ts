import { ProtocolError } from "./error.ts";

/** Of memory of its own, which holds what a chunk left and the next one together. */
const LEAST_CAPACITY_BYTES = 512;

/**
 * Bytes that have arrived and are not read yet. Parsers are generators over it: they `yield` the number of bytes
 * they need and go on when the owner has `push`ed that many. A chunk that comes when all was read is read where it lies.
 *
 * INVARIANT: reads never pass `size`; a parser checks with `has` (or has yielded) before it reads.
 */
export class ByteQueue {
  #buffer = new Uint8Array(0);
  #view = new DataView(this.#buffer.buffer);
  /** False where the memory is that of a chunk: it is not written to. */
  #isOwn = true;
  #start = 0;
  #end = 0;
  #taken = 0;

  /** Unread bytes. */
  get size(): number {
    return this.#end - this.#start;
  }

  /** Bytes read since the beginning: the offset an error names. */
  get offset(): number {
    return this.#taken;
  }

  has(count: number): boolean {
    return this.#end - this.#start >= count;
  }

  /** The chunk is the queue's from here on: it is not written to. */
  push(chunk: Uint8Array): void {
    const { buffer, byteOffset, length } = chunk;
    if (this.#start === this.#end && buffer instanceof ArrayBuffer) {
      this.#hold(new Uint8Array(buffer, byteOffset, length), false, length);
      return;
    }
    this.#reserve(length);
    this.#buffer.set(chunk, this.#end);
    this.#end += length;
  }

  u8(): number {
    const at = this.#advance(1);
    return this.#view.getUint8(at);
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  i16(): number {
    return this.#view.getInt16(this.#advance(2));
  }

  i32(): number {
    return this.#view.getInt32(this.#advance(4));
  }

  /** A look at the next bytes without reading them; valid until the next push. */
  peek(count: number): Uint8Array<ArrayBuffer> {
    this.#check(count);
    return this.#buffer.subarray(this.#start, this.#start + count);
  }

  /** The next bytes, valid until the next push: copy what must be kept. */
  take(count: number): Uint8Array<ArrayBuffer> {
    const at = this.#advance(count);
    return this.#buffer.subarray(at, at + count);
  }

  skip(count: number): void {
    this.#advance(count);
  }

  #advance(count: number): number {
    this.#check(count);
    const at = this.#start;
    this.#start += count;
    this.#taken += count;
    return at;
  }

  #check(count: number): void {
    if (count < 0 || count > this.#end - this.#start) {
      throw new RangeError(`read of ${count} bytes where ${this.size} are queued`);
    }
  }

  #reserve(count: number): void {
    const size = this.size;
    if (this.#isOwn && this.#buffer.length - this.#end >= count) return;
    if (this.#isOwn && this.#buffer.length >= size + count && this.#start >= size) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#start = 0;
      this.#end = size;
      return;
    }
    let capacity = LEAST_CAPACITY_BYTES;
    while (capacity < size + count) capacity *= 2;
    const grown = new Uint8Array(capacity);
    grown.set(this.#buffer.subarray(this.#start, this.#end));
    this.#hold(grown, true, size);
  }

  /** `size` bytes at the beginning of `buffer` are what is unread. */
  #hold(buffer: Uint8Array<ArrayBuffer>, isOwn: boolean, size: number): void {
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    this.#isOwn = isOwn;
    this.#start = 0;
    this.#end = size;
  }
}

/** A parser: yields how many unread bytes it needs before it can go on. */
export type Parser<Result> = Generator<number, Result, void>;

/**
 * Has a parser that needs so many bytes read what came; gives how many it needs next, null once it is done. What it throws says
 * where that happened.
 */
export function readOn(parser: Parser<void>, from: ByteQueue, needed: number | null): number | null {
  try {
    let next = needed;
    while (next !== null && from.has(next)) {
      const step = parser.next();
      next = step.done === true ? null : step.value;
    }
    return next;
  } catch (error) {
    if (error instanceof ProtocolError) error.offset = from.offset;
    throw error;
  }
}
