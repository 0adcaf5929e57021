import { ByteQueue, type Parser } from "../../../protocols/byte-queue.ts";

/** "FLV", U8 version, U8 flags, U32 length of this header; then the U32 size of no tag before. */
const HEAD_BYTES = 9 + 4;
/** U8 type, U24 length, U24 and U8 time, U24 stream. */
const TAG_BYTES = 11;
const VIDEO_TAG = 9;
const CODEC_AVC = 7;
/** AVCPacketType: NAL units; the others are the decoder's configuration and the end. */
const NAL_UNITS = 1;
/** Of a picture: no film of the size that is taken has a larger one. */
const MOST_BYTES = 8 * 2 ** 20;

const NAL = { slice: 1, keySlice: 5, sps: 7, pps: 8 } as const;
/** Others (SEI, access unit delimiters) say nothing that a decoder needs. */
const KEPT: ReadonlySet<number> = new Set(Object.values(NAL));

/** What an encoder writes is not what it was asked for. */
export class FilmError extends Error {
  override readonly name = "FilmError";
}

/**
 * H.264 pictures out of an FLV stream (Adobe Flash Video File Format 10.1, annex E), which says how long each is: a
 * plain stream of NAL units says so only when the next one begins. Each comes as a byte stream of annex B of H.264
 * (start code, NAL unit), of its parameter sets and its one slice. `push` throws FilmError.
 */
export class FlvVideo {
  readonly #from = new ByteQueue();
  readonly #parser: Parser<void>;
  readonly #onPicture: (picture: Uint8Array) => void;
  #needed = 0;

  constructor(onPicture: (picture: Uint8Array) => void) {
    this.#onPicture = onPicture;
    this.#parser = this.#read();
    this.#needed = this.#parser.next().value ?? 0;
  }

  push(chunk: Uint8Array): void {
    this.#from.push(chunk);
    while (this.#from.has(this.#needed)) this.#needed = this.#parser.next().value ?? 0;
  }

  *#read(): Parser<void> {
    const from = this.#from;
    while (!from.has(HEAD_BYTES)) yield HEAD_BYTES;
    const head = from.take(HEAD_BYTES);
    if (head[0] !== 0x46 || head[1] !== 0x4c || head[2] !== 0x56)
      throw new FilmError("expected FLV, got another format");
    for (;;) {
      while (!from.has(TAG_BYTES)) yield TAG_BYTES;
      const type = from.u8();
      const length = (from.u8() << 16) | from.u16();
      from.skip(7);
      if (length > MOST_BYTES)
        throw new FilmError(`got a tag of ${length} bytes, expected ${MOST_BYTES} at most`);
      const wholeBytes = length + 4;
      while (!from.has(wholeBytes)) yield wholeBytes;
      const body = from.take(length).slice();
      from.skip(4);
      if (type !== VIDEO_TAG || length < 5) continue;
      if (((body[0] ?? 0) & 0x0f) !== CODEC_AVC) throw new FilmError("expected H.264, got another codec");
      if (body[1] === NAL_UNITS) this.#onPicture(annexB(body.subarray(5)));
    }
  }
}

/** NAL units with a U32 length before each, as a byte stream: a start code is as long. */
function annexB(units: Uint8Array): Uint8Array {
  const view = new DataView(units.buffer, units.byteOffset, units.byteLength);
  const to = new Uint8Array(units.length);
  let [at, end, slices] = [0, 0, 0];
  while (at + 5 <= units.length) {
    const length = view.getUint32(at);
    const next = at + 4 + length;
    if (length === 0 || next > units.length)
      throw new FilmError("got a NAL unit that is longer than its picture");
    const type = (units[at + 4] ?? 0) & 0x1f;
    if (type === NAL.slice || type === NAL.keySlice) slices++;
    if (KEPT.has(type)) {
      to[end + 3] = 1;
      to.set(units.subarray(at + 4, next), end + 4);
      end += 4 + length;
    }
    at = next;
  }
  if (slices !== 1) throw new FilmError(`got a picture of ${slices} slices, expected one`);
  return to.subarray(0, end);
}
