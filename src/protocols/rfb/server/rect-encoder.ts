import type { Rect } from "../../../framebuffer/rect.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { EncoderState } from "../encodings/encoding.ts";
import { TIGHT_MAX_AREA, TIGHT_MAX_WIDTH } from "../encodings/tight.ts";
import { startZrle } from "../encodings/zrle-encode.ts";
import { ENCODING } from "../numbers.ts";
import type { Picture } from "../screen.ts";
import type { RectWork, RfbServerPorts } from "./dialogue.ts";
import type { UpdateWriter } from "./update-writer.ts";
import type { Wishes } from "./wishes.ts";

/** Rows of a piece end on multiples of this, so that the same damage is cut the same way for every viewer. */
const ROWS = 16;

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
  #isZrleStarted = false;

  constructor(ports: RfbServerPorts) {
    this.#ports = ports;
  }

  /** Adds one rectangle, cut before, in the viewer's encoding and format. */
  put(update: UpdateWriter, picture: Picture, rect: Rect, wishes: Wishes): void {
    const { encoding, format, jpegQuality, compressLevel } = wishes;
    const work: RectWork = { encoding, rect, format, jpegQuality, compressLevel };
    const to = update.begin(rect, encoding.number);
    const { encodeRect } = this.#ports;
    if (encodeRect === undefined) {
      this.#encode(to, picture, work);
      return;
    }
    to.put(
      this.#started(
        encodeRect(work, () => this.#sharedBody(picture, work)),
        encoding.number,
      ),
    );
  }

  #sharedBody(picture: Picture, work: RectWork): Uint8Array {
    const to = new ByteWriter(4096);
    work.encoding.encode?.(to, picture.pixels(work.rect), work.rect, this.#state(work, true));
    return to.bytes();
  }

  #encode(to: ByteWriter, picture: Picture, work: RectWork): void {
    const state = this.#state(work, this.#isZrleStarted);
    work.encoding.encode?.(to, picture.pixels(work.rect), work.rect, state);
    this.#isZrleStarted = state.zrleStarted;
  }

  /** A connection's first ZRLE body needs the header of its zlib stream; shared ones come without. */
  #started(body: Uint8Array, encoding: number): Uint8Array {
    if (encoding !== ENCODING.zrle || this.#isZrleStarted) return body;
    this.#isZrleStarted = true;
    return startZrle(body);
  }

  #state(work: RectWork, zrleStarted: boolean): EncoderState {
    const { deflate, jpeg } = this.#ports;
    const { format, jpegQuality, compressLevel } = work;
    return { deflate, jpeg, format, jpegQuality, compressLevel, zrleStarted };
  }
}
