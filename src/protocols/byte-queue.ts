import { ProtocolError } from "./error.ts";

/**
 * Bytes that have arrived and are not read yet. Parsers are generators over it: they `yield` the number of bytes
 * they need and go on when the owner has `push`ed that many.
 *
 * INVARIANT: reads never pass `size`; a parser checks with `has` (or has yielded) before it reads.
 */
export class ByteQueue {
  #buffer: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #start = 0;
  #end = 0;
  #taken = 0;

  constructor(capacityBytes = 64 * 1024) {
    this.#buffer = new Uint8Array(capacityBytes);
    this.#view = new DataView(this.#buffer.buffer);
  }

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

  push(chunk: Uint8Array): void {
    this.#reserve(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
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
    if (this.#start === this.#end) this.#start = this.#end = 0;
    if (this.#buffer.length - this.#end >= count) return;
    if (this.#buffer.length >= size + count && this.#start >= size) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    } else {
      let capacity = this.#buffer.length;
      while (capacity < size + count) capacity *= 2;
      const grown = new Uint8Array(capacity);
      grown.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = grown;
      this.#view = new DataView(grown.buffer);
    }
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
