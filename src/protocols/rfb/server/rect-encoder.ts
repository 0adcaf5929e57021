import type { Picture } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { EncoderState } from "../encodings/encoding.ts";
import { TIGHT_MAX_AREA, TIGHT_MAX_WIDTH } from "../encodings/tight.ts";
import { TIGHT } from "../encodings/tight-decode.ts";
import { startStream } from "../encodings/zlib-segment.ts";
import { ENCODING } from "../numbers.ts";
import type { RectWork, RfbServerPorts } from "./server-context.ts";
import type { UpdateWriter } from "./update-writer.ts";

/** Rows of a piece end on multiples of this, so that the same damage is cut the same way for every viewer. */
const ROWS = 16;

/** Where bodies are put together before their length is known: memory for each would be garbage, twice as long as they. */
const scratch = new ByteWriter(4096);

/**
 * Cuts a rectangle into pieces that every viewer's decoder takes, in reading order. Tight's limits do for all: small
 * pieces also keep an update within its limit of bytes.
 */
export function cutRect(rect: Rect): Rect[] {
  const pieces: Rect[] = [];
  const right = rect.x + rect.width;
  const bottom = rect.y + rect.height;
  for (let y = rect.y; y < bottom; ) {
    const widest = Math.min(TIGHT_MAX_WIDTH, rect.width);
    const rows = Math.max(ROWS, Math.floor(TIGHT_MAX_AREA / widest / ROWS) * ROWS);
    const height = Math.min(bottom - y, rows - (y % ROWS));
    for (let x = rect.x; x < right; x += TIGHT_MAX_WIDTH) {
      pieces.push({ x, y, width: Math.min(TIGHT_MAX_WIDTH, right - x), height });
    }
    y += height;
  }
  return pieces;
}

/** Encodes rectangles for one viewer, with the help of `encodeRect` only once for all of them. */
export class RectEncoder {
  readonly #ports: RfbServerPorts;
  /** Encodings of one zlib stream a viewer whose stream has begun. */
  readonly #started = new Set<number>();

  constructor(ports: RfbServerPorts) {
    this.#ports = ports;
  }

  /**
   * Adds one rectangle, cut before, in the viewer's encoding and format. Answers whether its pixels are exactly or only
   * nearly those of the picture; null where there is no time for it now.
   */
  put(update: UpdateWriter, picture: Picture, work: RectWork): "exact" | "lossy" | null {
    const { encoding } = work.style;
    const body = this.body(picture, work);
    if (body === null) return null;
    update.put(work.rect, encoding.number, this.#begun(body, encoding.number));
    return isJpeg(body, encoding.number) ? "lossy" : "exact";
  }

  /** As it is shared by viewers; null where there is no time for it now. */
  body(picture: Picture, work: RectWork): Uint8Array | null {
    const { encodeRect } = this.#ports;
    const encode = (): Uint8Array => this.#encode(picture, work);
    return encodeRect === undefined ? encode() : encodeRect(work, encode);
  }

  /** As for a viewer whose streams have begun, so that it serves all. */
  #encode(picture: Picture, work: RectWork): Uint8Array {
    const { deflate, jpeg } = this.#ports;
    const { rect, style } = work;
    const { encoding, format, jpegQuality, compressLevel } = style;
    const state: EncoderState = {
      deflate,
      jpeg,
      format,
      jpegQuality,
      compressLevel,
      zrleStarted: true,
      zlibStarted: true,
    };
    const to = scratch.clear();
    encoding.encode?.(to, picture.pixels(rect), rect, state);
    return to.bytes().slice();
  }

  /** True where nothing goes before a body in this encoding any more. */
  hasBegun(encoding: number): boolean {
    return !hasStream(encoding) || this.#started.has(encoding);
  }

  /** A connection's first ZRLE and Zlib bodies need the header of their zlib stream; shared ones come without. */
  #begun(body: Uint8Array, encoding: number): Uint8Array {
    if (this.hasBegun(encoding)) return body;
    this.#started.add(encoding);
    return startStream(body);
  }
}

function hasStream(encoding: number): boolean {
  return encoding === ENCODING.zrle || encoding === ENCODING.zlib;
}

/** Of all encodings that we send only the two kinds of Tight may hold a JPEG; their first byte says so. */
export function isJpeg(body: Uint8Array, encoding: number): boolean {
  const isTight = encoding === ENCODING.tight || encoding === ENCODING.tightPng;
  return isTight && (body[0] ?? 0) >> 4 === TIGHT.jpeg;
}
