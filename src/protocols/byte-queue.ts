import { ProtocolError } from "./error.ts";

/** Of memory of its own, which holds what a chunk left and the next one together. */
const LEAST_CAPACITY_BYTES = 512;
/** A chunk up to this is copied: that takes less than views of where it lies. */
const SMALL_BYTES = 64;

/** Memory of queues that are read, for the next one that needs more than the least: none keeps it, none makes garbage. */
const spares: Uint8Array<ArrayBuffer>[] = [];
let spareBytes = 0;
const MOST_SPARE_BYTES = 4 * 1024 * 1024;
/** The largest that is kept. */
const LARGEST_SPARE_BYTES = 256 * 1024;
const NOTHING = new Uint8Array(0);

/**
 * Bytes that have arrived and are not read yet. Parsers are generators over it: they `yield` the number of bytes
 * they need and go on when the owner has `push`ed that many. A larger chunk that comes when all was read is read where it
 * lies.
 *
 * INVARIANT: reads never pass `size`; a parser checks with `has` (or has yielded) before it reads.
 */
export class ByteQueue {
  #own = NOTHING;
  #ownView = new DataView(this.#own.buffer);
  /** `#own`, or a chunk, which is not written to. */
  #buffer = this.#own;
  #view = this.#ownView;
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

  /** The chunk is the queue's from here on, until `settle`: it is not written to. */
  push(chunk: Uint8Array): void {
    const { buffer, byteOffset, length } = chunk;
    if (this.#start === this.#end && length > SMALL_BYTES && buffer instanceof ArrayBuffer) {
      this.#letGo();
      const where = new Uint8Array(buffer, byteOffset, length);
      this.#hold(where, new DataView(buffer, byteOffset, length), length);
      return;
    }
    this.#reserve(length);
    this.#buffer.set(chunk, this.#end);
    this.#end += length;
  }

  /** All that was pushed may be written over from here on: what is not read is copied. */
  settle(): void {
    if (this.#start === this.#end) this.#letGo();
    else if (this.#buffer !== this.#own) this.#reserve(0);
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

  /** Makes room after what is unread, which goes to memory of our own. */
  #reserve(count: number): void {
    const { size } = this;
    const isOwn = this.#buffer === this.#own;
    if (isOwn && this.#own.length - this.#end >= count) return;
    const unread = this.#buffer.subarray(this.#start, this.#end);
    const hasRoom = this.#own.length >= size + count && (!isOwn || this.#start >= size);
    const before = this.#own;
    if (!hasRoom) this.#take(memoryOf(size + count));
    this.#own.set(unread);
    if (before !== this.#own) spare(before);
    this.#hold(this.#own, this.#ownView, size);
  }

  /** All was read: memory beyond the least is of use to others. */
  #letGo(): void {
    if (this.#own.length > LEAST_CAPACITY_BYTES) {
      spare(this.#own);
      this.#take(NOTHING);
    }
    this.#hold(this.#own, this.#ownView, 0);
  }

  #take(own: Uint8Array<ArrayBuffer>): void {
    this.#own = own;
    this.#ownView = new DataView(own.buffer);
  }

  /** `size` bytes at the beginning of `buffer` are what is unread. */
  #hold(buffer: Uint8Array<ArrayBuffer>, view: DataView<ArrayBuffer>, size: number): void {
    this.#buffer = buffer;
    this.#view = view;
    this.#start = 0;
    this.#end = size;
  }
}

/** Memory for so many bytes, or for more. */
function memoryOf(sizeBytes: number): Uint8Array<ArrayBuffer> {
  if (sizeBytes <= LEAST_CAPACITY_BYTES) return new Uint8Array(LEAST_CAPACITY_BYTES);
  const at = spares.findIndex(({ length }) => length >= sizeBytes);
  const [known] = at === -1 ? [] : spares.splice(at, 1);
  if (known !== undefined) {
    spareBytes -= known.length;
    return known;
  }
  let capacity = LEAST_CAPACITY_BYTES;
  while (capacity < sizeBytes) capacity *= 2;
  return new Uint8Array(capacity);
}

function spare(memory: Uint8Array<ArrayBuffer>): void {
  const { length } = memory;
  if (length <= LEAST_CAPACITY_BYTES || length > LARGEST_SPARE_BYTES) return;
  if (spareBytes + length > MOST_SPARE_BYTES) return;
  spareBytes += length;
  spares.push(memory);
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
