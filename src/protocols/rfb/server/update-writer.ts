import type { Rect } from "../../../framebuffer/rect.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { ENCODING, SERVER_MESSAGE } from "../numbers.ts";
import type { CopyMove } from "../screen.ts";

const COUNT_AT = 2;
const MAX_RECTS = 0xffff;

/**
 * One FramebufferUpdate, RFC 6143 section 7.6.1: U8 0, pad 1, U16 number of rectangles; then each rectangle's
 * U16 x, U16 y, U16 width, U16 height, S32 encoding, body.
 */
export class UpdateWriter {
  readonly #to = new ByteWriter(16 * 1024).u8(SERVER_MESSAGE.framebufferUpdate).pad(1).u16(0);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count === MAX_RECTS;
  }

  get sizeBytes(): number {
    return this.#to.length;
  }

  /** Begins a rectangle; its body goes to the writer that is returned. */
  begin(rect: Rect, encoding: number): ByteWriter {
    this.#count++;
    return this.#to.u16(rect.x).u16(rect.y).u16(rect.width).u16(rect.height).i32(encoding);
  }

  /** CopyRect, section 7.7.2: U16 source x, U16 source y. */
  copy(move: CopyMove): void {
    this.begin(move.to, ENCODING.copyRect).u16(move.fromX).u16(move.fromY);
  }

  bytes(): Uint8Array {
    return this.#to.setU16(COUNT_AT, this.#count).bytes();
  }
}
