import { isAcceptableSize, type PaintedPicture } from "../../framebuffer/plain-picture.ts";
import { holdsRect, type Rect } from "../../framebuffer/rect.ts";
import {
  bitsOf,
  MAX_CHUNK_BYTES,
  MAX_CHUNK_PICTURES,
  PICTURE_FLAG,
  PICTURE_HEADER_BYTES,
  PICTURE_OP,
  PictureError,
  type PictureHead,
  RECORD_CELL,
} from "./picture-format.ts";
import { paintPalette, paintRgb, wordAt } from "./tile.ts";

/** A palette or rgb record that a later one may show again. */
interface KeptTile {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly at: number;
}

/** Paints the pictures of chunks, in order, from a key on. Throws PictureError for bytes that are no pictures. */
export class PictureDecoder<Frame extends PaintedPicture> {
  readonly #open: (width: number, height: number) => Frame;
  #frame: Frame | null = null;
  #kept: KeptTile[] = [];
  #head: PictureHead | null = null;
  #isLent = false;

  /** `open` makes the pictures, black, of a size that is acceptable. */
  constructor(open: (width: number, height: number) => Frame) {
    this.#open = open;
  }

  /** The picture painted last; null before the first. Replaced when the size changes, and after it was lent. */
  get frame(): Frame | null {
    return this.#frame;
  }

  /** Of the picture painted last; null before the first. */
  get head(): PictureHead | null {
    return this.#head;
  }

  /** The frame is another's from now on: the next picture is painted into a copy. */
  lend(): void {
    this.#isLent = true;
  }

  /** Forgets all, for another key. */
  reset(): void {
    this.#kept = [];
    this.#head = null;
  }

  /**
   * Paints one picture whose `head` is of `chunk`, an inflated chunk that must not change afterwards; `painted` gets
   * the rectangles. Throws PictureError; the frame may be half painted then.
   */
  paint(chunk: Uint8Array, head: PictureHead, painted: Rect[] | null = null): void {
    const { width, height } = head;
    if (head.isKey) this.#kept = [];
    else if (this.#head === null) throw new PictureError("a picture before the first key");
    const frame = this.#frameOf(width, height, head.isKey);
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = head.offset;
    for (let i = 0; i < head.records; i++) at = this.#record(frame, chunk, view, at, head.end, painted);
    if (at !== head.end) throw new PictureError(`${head.end - at} bytes after the last record of a picture`);
    this.#head = head;
  }

  #frameOf(width: number, height: number, isKey: boolean): Frame {
    const frame = this.#frame;
    const isLent = this.#isLent;
    this.#isLent = false;
    if (frame !== null && frame.width === width && frame.height === height) {
      if (!isLent) return frame;
      const next = this.#open(width, height);
      // A key is whole.
      if (!isKey) next.words.set(frame.words);
      this.#frame = next;
      return next;
    }
    if (!isKey) throw new PictureError(`a picture of ${width}x${height} follows one of another size`);
    const next = this.#open(width, height);
    this.#frame = next;
    return next;
  }

  /** Paints one record; gives where the next one begins. */
  #record(
    frame: Frame,
    bytes: Uint8Array,
    view: DataView,
    at: number,
    end: number,
    painted: Rect[] | null,
  ): number {
    const op = bytes[need(at, 1, end)];
    switch (op) {
      case PICTURE_OP.solid:
      case PICTURE_OP.palette:
      case PICTURE_OP.rgb: {
        need(at, 9, end);
        const rect = rectAt(view, at + 1);
        if (op !== PICTURE_OP.solid) this.#kept.push({ bytes, view, at });
        painted?.push(rect);
        return paintTile(frame, bytes, at, rect, end);
      }
      case PICTURE_OP.again: {
        need(at, 1 + 2 + 2 + 4, end);
        const number = view.getUint32(at + 5);
        const kept = this.#kept[number];
        if (kept === undefined) throw new PictureError(`tile ${number} is shown again but never was before`);
        const { width, height } = rectAt(kept.view, kept.at + 1);
        const rect = { x: view.getUint16(at + 1), y: view.getUint16(at + 3), width, height };
        paintTile(frame, kept.bytes, kept.at, rect, kept.bytes.length);
        painted?.push(rect);
        return at + 9;
      }
      case PICTURE_OP.move: {
        need(at, 1 + 6 * 2, end);
        const to = rectAt(view, at + 5);
        const from = { ...to, x: view.getUint16(at + 1), y: view.getUint16(at + 3) };
        if (!holdsRect(frame.rect, from) || !holdsRect(frame.rect, to)) {
          throw new PictureError("a move leaves the picture");
        }
        frame.copy(from.x, from.y, to);
        painted?.push(to);
        return at + 13;
      }
      default:
        throw new PictureError(`got the operation ${op}, expected 0 to 4`);
    }
  }
}

/**
 * The heads of all pictures of an inflated chunk, in order. Throws PictureError for lengths, sizes and numbers that
 * do not fit; the records themselves are looked at when they are painted.
 */
export function readHeads(chunk: Uint8Array): PictureHead[] {
  if (chunk.length > MAX_CHUNK_BYTES) {
    throw new PictureError(`a chunk of ${chunk.length} bytes, expected at most ${MAX_CHUNK_BYTES}`);
  }
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const heads: PictureHead[] = [];
  for (let at = 0; at < chunk.length; ) {
    need(at, PICTURE_HEADER_BYTES, chunk.length);
    const length = view.getUint32(at);
    const end = at + 4 + length;
    if (end < at + PICTURE_HEADER_BYTES || end > chunk.length) {
      throw new PictureError(`a picture of ${length} bytes where ${chunk.length - at - 4} are left`);
    }
    const width = view.getUint16(at + 14);
    const height = view.getUint16(at + 16);
    if (!isAcceptableSize({ width, height })) {
      throw new PictureError(`a picture of ${width}x${height} pixels, more than is held or none`);
    }
    const flags = view.getUint8(at + 12);
    // Each may be as large as pictures get: one chunk shall not make us take memory again and again.
    if ((flags & PICTURE_FLAG.key) !== 0 && heads.length > 0) {
      throw new PictureError("a key that is not the first picture of its chunk");
    }
    if (heads.length === MAX_CHUNK_PICTURES) {
      throw new PictureError(`more than ${MAX_CHUNK_PICTURES} pictures in a chunk`);
    }
    heads.push({
      atMs: view.getUint32(at + 4),
      generation: view.getUint32(at + 8),
      isKey: (flags & PICTURE_FLAG.key) !== 0,
      isPartial: (flags & PICTURE_FLAG.partial) !== 0,
      width,
      height,
      records: view.getUint32(at + 18),
      offset: at + PICTURE_HEADER_BYTES,
      end,
    });
    at = end;
  }
  return heads;
}

/** Paints a solid, palette or rgb record at `rect`, whatever place it names itself; gives where it ends. */
function paintTile(frame: PaintedPicture, bytes: Uint8Array, at: number, rect: Rect, end: number): number {
  const { x, y, width, height } = rect;
  if (width < 1 || height < 1 || width > RECORD_CELL || height > RECORD_CELL) {
    throw new PictureError(
      `a tile of ${width}x${height} pixels, expected 1x1 to ${RECORD_CELL}x${RECORD_CELL}`,
    );
  }
  if (!holdsRect(frame.rect, rect)) throw new PictureError("a tile leaves the picture");
  const start = y * frame.width + x;
  const body = at + 9;
  switch (bytes[at]) {
    case PICTURE_OP.solid:
      need(body, 3, end);
      frame.fill(rect, wordAt(bytes, body));
      return body + 3;
    case PICTURE_OP.rgb: {
      const length = width * height * 3;
      need(body, length, end);
      paintRgb(frame.words, start, frame.width, width, height, bytes, body);
      return body + length;
    }
    default: {
      const colours = (bytes[need(body, 1, end)] ?? 0) + 1;
      const length = colours * 3 + Math.ceil((width * bitsOf(colours)) / 8) * height;
      need(body + 1, length, end);
      if (!paintPalette(frame.words, start, frame.width, width, height, bytes, body + 1, colours)) {
        throw new PictureError(`an index beyond the ${colours} colours of a tile`);
      }
      return body + 1 + length;
    }
  }
}

function rectAt(view: DataView, at: number): Rect {
  return {
    x: view.getUint16(at),
    y: view.getUint16(at + 2),
    width: view.getUint16(at + 4),
    height: view.getUint16(at + 6),
  };
}

/** `at`, after a look that so many bytes lie there before `end`. */
function need(at: number, count: number, end: number): number {
  if (at + count > end) throw new PictureError(`${count} bytes wanted where ${end - at} are left`);
  return at;
}
