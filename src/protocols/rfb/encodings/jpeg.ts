import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { ENCODING } from "../numbers.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState, Encoding } from "./encoding.ts";
import { paintJpeg } from "./jpeg-rect.ts";
import { JpegTables } from "./jpeg-tables.ts";

/** Markers of ITU-T T.81 table B.1, their second byte. */
const MARKER = {
  huffman: 0xc4,
  restart0: 0xd0,
  restart7: 0xd7,
  start: 0xd8,
  end: 0xd9,
  scan: 0xda,
  quantisation: 0xdb,
  fill: 0xff,
} as const;

const TEMPORARY = 0x01;

/** No image is longer than its pixels and this. */
const OVERHEAD_BYTES = 64 * 1024;

/**
 * rfbproto "JPEG Encoding": an image without a length, read marker by marker to its end. Tables may be left out: then
 * those of the last image that had some hold.
 */
function* decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  const image = new Image(state.jpegTables, areaOfRect(rect) * 3 + OVERHEAD_BYTES);
  for (;;) {
    while (!from.has(2)) yield 2;
    if (from.peek(2)[0] !== 0xff) {
      throw badData(`jpeg byte ${from.peek(2)[0]}, expected a marker that begins with 255`);
    }
    const type = from.peek(2)[1] ?? 0;
    if (type === MARKER.fill) {
      image.put(from.take(1));
      continue;
    }
    if (type === TEMPORARY || (type >= MARKER.restart0 && type <= MARKER.end)) {
      image.put(from.take(2));
      if (type === MARKER.end) break;
      continue;
    }
    while (!from.has(4)) yield 4;
    const head = from.peek(4);
    const length = 2 + (((head[2] ?? 0) << 8) | (head[3] ?? 0));
    if (length < 4) throw badData(`jpeg segment of ${length - 2} bytes, expected 2 or more`);
    while (!from.has(length)) yield length;
    image.segment(type, from.take(length));
    if (type === MARKER.scan) yield* readScan(from, image);
  }
  paintJpeg("jpeg", image.bytes, to, rect, state);
}

/** Coded data up to the next marker; within it 255 is followed by 0 or is a restart. */
function* readScan(from: ByteQueue, image: Image): Parser<void> {
  for (;;) {
    while (!from.has(2)) yield 2;
    const bytes = from.peek(from.size);
    const last = bytes.length - 1;
    let at = 0;
    for (; at < last; at++) {
      if (bytes[at] !== 0xff) continue;
      const type = bytes[at + 1] ?? 0;
      const isData = type === 0 || (type >= MARKER.restart0 && type <= MARKER.restart7);
      if (!isData) break;
      at++;
    }
    const isMarker = at < last;
    // A 255 at the end is left: what it means comes after it.
    const count = at === last && bytes[last] !== 0xff ? bytes.length : at;
    image.put(from.take(count));
    if (isMarker) return;
  }
}

/** One image as it arrives, completed with the tables it lacks. */
class Image {
  readonly #tables: JpegTables;
  readonly #mostBytes: number;
  readonly #to = new ByteWriter(4096);
  #hasQuantisation = false;
  #hasHuffman = false;
  #hasScan = false;

  constructor(tables: JpegTables, mostBytes: number) {
    this.#tables = tables;
    this.#mostBytes = mostBytes;
  }

  get bytes(): Uint8Array {
    return this.#to.bytes();
  }

  put(bytes: Uint8Array): void {
    if (this.#to.length + bytes.length > this.#mostBytes) {
      throw badData(`jpeg of more than ${this.#mostBytes} bytes where the rectangle allows no more`);
    }
    this.#to.put(bytes);
  }

  /** A whole segment, its marker and length included. */
  segment(type: number, bytes: Uint8Array): void {
    if (type === MARKER.quantisation) {
      this.#tables.quantisation = this.#kept(this.#hasQuantisation ? this.#tables.quantisation : null, bytes);
      this.#hasQuantisation = true;
    } else if (type === MARKER.huffman) {
      this.#tables.huffman = this.#kept(this.#hasHuffman ? this.#tables.huffman : null, bytes);
      this.#hasHuffman = true;
    } else if (type === MARKER.scan && !this.#hasScan) {
      this.#hasScan = true;
      if (!this.#hasQuantisation) this.put(this.#tables.quantisation);
      if (!this.#hasHuffman) this.put(this.#tables.huffman);
    }
    this.put(bytes);
  }

  #kept(known: Uint8Array | null, segment: Uint8Array): Uint8Array<ArrayBuffer> {
    const all = JpegTables.joined(known ?? new Uint8Array(0), segment);
    if (all === null) throw badData("jpeg with more tables than there can be");
    return all;
  }
}

/** JPEG, rfbproto "JPEG Encoding"; only decoded, since Tight has the same with a length. */
export const jpeg: Encoding = { number: ENCODING.jpeg, name: "jpeg", decode };
