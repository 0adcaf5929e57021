import type { CopyMove } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { ENCODING, SERVER_MESSAGE } from "../numbers.ts";

const COUNT_AT = 2;

/** One less than a header can count: the last number means that LastRect ends the row (rfbproto). */
const MAX_RECTS = 0xfffe;

/** Shorter bodies are copied: a part of a message of its own costs more than that. */
const LEAST_PART_BYTES = 1024;

/**
 * One FramebufferUpdate, RFC 6143 section 7.6.1: U8 0, pad 1, U16 number of rectangles; then each rectangle's
 * U16 x, U16 y, U16 width, U16 height, S32 encoding, body. Large bodies stay where they are, as parts of the message,
 * which may be taken piece by piece while it is being written.
 */
export class UpdateWriter {
  readonly #first = new ByteWriter(64).u8(SERVER_MESSAGE.framebufferUpdate).pad(1).u16(0);
  #parts: Uint8Array[] = [];
  /** What follows the last of the parts; null where nothing does. */
  #to: ByteWriter | null = this.#first;
  /** In parts, taken or not. */
  #partBytes = 0;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.room === 0;
  }

  /** Rectangles that the header can count beside those begun. */
  get room(): number {
    return MAX_RECTS - this.#count;
  }

  /** Rectangles begun. */
  get count(): number {
    return this.#count;
  }

  /** Of the whole message so far, with what was taken. */
  get sizeBytes(): number {
    return this.#partBytes + (this.#to?.length ?? 0);
  }

  /** Begins a rectangle; its body goes to the writer that is returned. */
  begin(rect: Rect, encoding: number): ByteWriter {
    this.#count++;
    this.#to ??= new ByteWriter(64);
    return this.#to.u16(rect.x).u16(rect.y).u16(rect.width).u16(rect.height).i32(encoding);
  }

  /** A whole rectangle; nobody writes to `body` from now on. */
  put(rect: Rect, encoding: number, body: Uint8Array): void {
    const to = this.begin(rect, encoding);
    if (body.length < LEAST_PART_BYTES) {
      to.put(body);
      return;
    }
    this.#close();
    this.#partBytes += body.length;
    this.#parts.push(body);
  }

  /** CopyRect, section 7.7.2: U16 source x, U16 source y. */
  copy(move: CopyMove): void {
    this.begin(move.to, ENCODING.copyRect).u16(move.fromX).u16(move.fromY);
  }

  /**
   * What was written since the last call, in parts that follow each other. `count`: what the header is to say, which
   * counts at the first call alone; by default what was written.
   */
  take(count = this.#count): readonly Uint8Array[] {
    this.#first.setU16(COUNT_AT, count);
    this.#close();
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #close(): void {
    if (this.#to === null) return;
    this.#partBytes += this.#to.length;
    this.#parts.push(this.#to.bytes());
    this.#to = null;
  }
}

/** The parts in one. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
