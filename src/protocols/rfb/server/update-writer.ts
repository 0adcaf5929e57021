import type { Rect } from "../../../framebuffer/rect.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { ENCODING, SERVER_MESSAGE } from "../numbers.ts";
import type { CopyMove } from "../screen.ts";

const COUNT_AT = 2;
const MAX_RECTS = 0xffff;

/** Shorter bodies are copied: a part of a message of its own costs more than that. */
const LEAST_PART_BYTES = 1024;

/**
 * One FramebufferUpdate, RFC 6143 section 7.6.1: U8 0, pad 1, U16 number of rectangles; then each rectangle's
 * U16 x, U16 y, U16 width, U16 height, S32 encoding, body. Large bodies stay where they are, as parts of the message.
 */
export class UpdateWriter {
  readonly #first = new ByteWriter(64).u8(SERVER_MESSAGE.framebufferUpdate).pad(1).u16(0);
  readonly #parts: Uint8Array[] = [];
  /** What follows the last of the parts. */
  #to = this.#first;
  #partBytes = 0;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count === MAX_RECTS;
  }

  get sizeBytes(): number {
    return this.#partBytes + this.#to.length;
  }

  /** Begins a rectangle; its body goes to the writer that is returned. */
  begin(rect: Rect, encoding: number): ByteWriter {
    this.#count++;
    return this.#to.u16(rect.x).u16(rect.y).u16(rect.width).u16(rect.height).i32(encoding);
  }

  /** A whole rectangle; nobody writes to `body` from now on. */
  put(rect: Rect, encoding: number, body: Uint8Array): void {
    const to = this.begin(rect, encoding);
    if (body.length < LEAST_PART_BYTES) {
      to.put(body);
      return;
    }
    this.#partBytes += to.length + body.length;
    this.#parts.push(to.bytes(), body);
    this.#to = new ByteWriter(64);
  }

  /** CopyRect, section 7.7.2: U16 source x, U16 source y. */
  copy(move: CopyMove): void {
    this.begin(move.to, ENCODING.copyRect).u16(move.fromX).u16(move.fromY);
  }

  /** The message, in parts that follow each other. */
  parts(): readonly Uint8Array[] {
    this.#first.setU16(COUNT_AT, this.#count);
    return this.#to.length === 0 ? this.#parts : [...this.#parts, this.#to.bytes()];
  }

  /** The message in one. */
  bytes(): Uint8Array {
    return joined(this.parts());
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
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
