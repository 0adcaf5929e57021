import { LittleEndianReader } from "../little-endian-reader.ts";
import { badData, cutOff, tooLarge } from "./bad-data.ts";
import { HISTORY_BYTES, ZgfxHistory } from "./zgfx-history.ts";
import { LITERAL, MATCH, PREFIX_BITS, TOKENS } from "./zgfx-tokens.ts";

const SINGLE = 0xe0;
const MULTIPART = 0xe1;

/** RDP_SEGMENTED_DATA's header byte: the type RDP8 in the low bits, and whether the segment is compressed. */
const TYPE_MASK = 0x0f;
const TYPE_RDP8 = 0x04;
const IS_COMPRESSED = 0x20;

/** A segment's size before compression at most, MS-RDPEGFX 2.2.5.1. */
const SEGMENT_BYTES = 65_535;

/** The largest message that any desktop needs: an uncompressed picture of 4096 x 4096 pixels. */
export const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * RDP8 bulk decompression, MS-RDPEGFX 2.2.5 and 3.1.9.1: LZ77 over a history that lives as long as the channel.
 *
 *     descriptor 0xE0, segment
 *     descriptor 0xE1, segmentCount (2), uncompressedSize (4), then for each: size (4), segment
 *     segment: header (1), data
 */
export class Zgfx {
  readonly #history = new ZgfxHistory();
  /** Output of the message under way; grows with what is really there, not with what the peer announces. */
  #out = new Uint8Array(SEGMENT_BYTES + 1);
  #length = 0;

  /** The message in `data`, valid until the next call. Throws RdpError `bad_data`, or `too_large` above `mostBytes`. */
  decompress(data: Uint8Array, mostBytes = MOST_MESSAGE_BYTES): Uint8Array {
    const from = new LittleEndianReader(data, "graphics");
    this.#length = 0;
    const descriptor = from.u8();
    if (descriptor === SINGLE) this.#segment(from.rest());
    else if (descriptor === MULTIPART) this.#segments(from, mostBytes);
    else throw badData(`bulk data descriptor 0x${descriptor.toString(16)}, expected 0xe0 or 0xe1`);
    return this.#out.subarray(0, this.#length);
  }

  #segments(from: LittleEndianReader, mostBytes: number): void {
    const count = from.u16();
    const size = from.u32();
    if (size > mostBytes) {
      throw tooLarge(`a graphics message of ${size} bytes, expected at most ${mostBytes}`);
    }
    for (let i = 0; i < count; i++) {
      this.#segment(from.take(from.u32()));
      if (this.#length > size) throw badData(`more than the announced ${size} bytes of bulk data`);
    }
    if (this.#length !== size) throw badData(`${this.#length} bytes of bulk data, expected ${size}`);
  }

  #segment(segment: Uint8Array): void {
    const header = segment[0];
    if (header === undefined) throw cutOff("bulk");
    if ((header & TYPE_MASK) !== TYPE_RDP8) throw badData(`bulk data type ${header & TYPE_MASK}, expected 4`);
    if (segment.length - 1 > SEGMENT_BYTES + 1) {
      throw badData(`a bulk segment of ${segment.length} bytes, expected at most ${SEGMENT_BYTES}`);
    }
    this.#reserve(SEGMENT_BYTES + 1);
    if ((header & IS_COMPRESSED) !== 0) {
      this.#inflate(segment);
      return;
    }
    this.#out.set(segment.subarray(1), this.#length);
    this.#history.write(segment, 1, segment.length);
    this.#length += segment.length - 1;
  }

  /** Decodes tokens from segment[1] on; its last byte says how many bits of the byte before it are not used. */
  #inflate(segment: Uint8Array): void {
    const last = segment.length - 1;
    const unused = segment[last];
    if (last < 1 || unused === undefined || unused > 7) throw cutOff("bulk");
    const endBit = last * 8 - unused;
    const out = this.#out;
    const mostLength = this.#length + SEGMENT_BYTES + 1;
    let at = this.#length;
    let bit = 8;
    while (bit < endBit) {
      const ahead = peekBits(segment, bit, PREFIX_BITS);
      const kind = TOKENS.kind[ahead]!;
      const valueBits = TOKENS.valueBits[ahead]!;
      bit += TOKENS.prefixBits[ahead]!;
      const value = TOKENS.base[ahead]! + peekBits(segment, bit, valueBits);
      bit += valueBits;
      if (kind === LITERAL) {
        if (at >= mostLength || bit > endBit) throw cutOff("bulk");
        out[at] = value;
        this.#history.put(value);
        at++;
        continue;
      }
      if (kind !== MATCH) throw badData("an unknown bulk prefix code, expected a known one");
      if (value === 0) {
        // Unencoded bytes: 15 bits of count, the rest of that byte unused.
        const count = peekBits(segment, bit, 15);
        const start = (bit + 15 + 7) >> 3;
        if (count > mostLength - at || (start + count) * 8 > last * 8) throw cutOff("bulk");
        out.set(segment.subarray(start, start + count), at);
        this.#history.write(segment, start, start + count);
        at += count;
        bit = (start + count) * 8;
        continue;
      }
      // A length of 3 is "0"; of 2^n and more: n - 1 times "1", "0", then n bits.
      let lengthBits = 0;
      while (lengthBits < 16 && peekBits(segment, bit, 1) === 1) {
        lengthBits++;
        bit++;
      }
      bit++;
      const extra = lengthBits === 0 ? 0 : lengthBits + 1;
      const count = extra === 0 ? 3 : (1 << extra) + peekBits(segment, bit, extra);
      bit += extra;
      if (bit > endBit || count > mostLength - at) throw cutOff("bulk");
      if (value > HISTORY_BYTES)
        throw badData(`a bulk match ${value} bytes back, expected at most ${HISTORY_BYTES}`);
      this.#history.read(value, count, out, at);
      this.#history.write(out, at, at + count);
      at += count;
    }
    this.#length = at;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#out.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#out.length * 2));
    grown.set(this.#out.subarray(0, this.#length));
    this.#out = grown;
  }
}

/** `count` bits (0 to 24) from bit `at` on, the highest first; 0 bits past the end. */
function peekBits(bytes: Uint8Array, at: number, count: number): number {
  const i = at >> 3;
  const word =
    ((bytes[i] ?? 0) << 24) | ((bytes[i + 1] ?? 0) << 16) | ((bytes[i + 2] ?? 0) << 8) | (bytes[i + 3] ?? 0);
  return count === 0 ? 0 : (word << (at & 7)) >>> (32 - count);
}
