/**
 * Inflates what our server deflated (RFC 1950, RFC 1951), in the place of noVNC's `Inflate`, whose pako is four times as
 * much to load. All that our server packs ends at a flush or with the stream, so that whole blocks come: they are
 * inflated as they are set, behind what came before, and given out in the pieces that are asked for.
 */

/** How far back a match reaches. */
const WINDOW_BYTES = 32_768;
/** With more behind the window the buffer is begun anew, so that the window is moved seldom. */
const MOST_BEHIND = 1 << 20;
/** The order in which the lengths of the code length codes come, RFC 1951 section 3.2.7. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;

/** Section 3.2.5: extra bits and the least value of each code, of which `most` have no more than the one before. */
function rangesOf(count: number, step: number, least: number): readonly [Uint8Array, Uint16Array] {
  const extra = new Uint8Array(count);
  const base = new Uint16Array(count);
  let next = least;
  for (let code = 0; code < count; code++) {
    const bits = Math.max(0, Math.floor(code / step) - 1);
    extra[code] = bits;
    base[code] = next;
    next += 1 << bits;
  }
  return [extra, base];
}

const [LENGTH_EXTRA, LENGTH_BASE] = rangesOf(29, 4, 3);
// The longest match has a code of its own.
LENGTH_EXTRA[28] = 0;
LENGTH_BASE[28] = 258;
const [DISTANCE_EXTRA, DISTANCE_BASE] = rangesOf(30, 2, 1);

/** By the next bits of the stream: symbol << 4 | its bits. */
interface Codes {
  readonly table: Uint16Array;
  readonly mask: number;
}

/** Section 3.2.2. */
function codesOf(lengths: Uint8Array): Codes {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]!++;
  counts[0] = 0;
  let most = 15;
  while (most > 1 && counts[most] === 0) most--;
  const next = new Uint16Array(16);
  for (let bits = 1; bits < most; bits++) next[bits + 1] = (next[bits]! + counts[bits]!) << 1;
  const size = 1 << most;
  const table = new Uint16Array(size);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const bits = lengths[symbol]!;
    if (bits === 0) continue;
    let reversed = 0;
    for (let code = next[bits]!++, bit = 0; bit < bits; bit++, code >>= 1)
      reversed = (reversed << 1) | (code & 1);
    for (let at = reversed; at < size; at += 1 << bits) table[at] = (symbol << 4) | bits;
  }
  return { table, mask: size - 1 };
}

/** Section 3.2.6. */
const FIXED_LITERALS = codesOf(
  Uint8Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  ),
);
const FIXED_DISTANCES = codesOf(new Uint8Array(30).fill(5));

/** The face of noVNC's `Inflate`. */
export default class Inflate {
  #out = new Uint8Array(2 * WINDOW_BYTES);
  /** Where the next byte goes. */
  #at = 0;
  /** What is not given out yet begins here. */
  #given = 0;
  #isBegun = false;
  #input = new Uint8Array();
  #from = 0;
  /** Bits that were taken of the input and not used yet, the next one lowest; at most 31. */
  #hold = 0;
  #bits = 0;

  /** Another stream begins. */
  reset(): void {
    this.#at = 0;
    this.#given = 0;
    this.#isBegun = false;
  }

  /** Throws for what is no deflated data, or ends within a block. null: what was not given out is dropped. */
  setInput(input: Uint8Array<ArrayBuffer> | null): void {
    if (this.#at > MOST_BEHIND) {
      this.#out.copyWithin(0, this.#at - WINDOW_BYTES, this.#at);
      this.#at = WINDOW_BYTES;
    }
    this.#given = this.#at;
    if (input === null) return;
    this.#input = input;
    this.#from = this.#isBegun ? 0 : 2;
    this.#isBegun = true;
    this.#hold = 0;
    this.#bits = 0;
    for (let isLast = false; !isLast && !this.#isAtEnd; ) {
      isLast = this.#take(1) === 1;
      const kind = this.#take(2);
      if (kind === 0) this.#stored();
      else if (kind === 1) this.#block(FIXED_LITERALS, FIXED_DISTANCES);
      else if (kind === 2) this.#dynamic();
      else throw new Error("got a block of type 3, expected 0 to 2");
    }
  }

  /** The next bytes, as they are until more input comes. */
  inflate(expected: number): Uint8Array {
    const from = this.#given;
    if (from + expected > this.#at) throw new Error("Incomplete zlib block");
    this.#given += expected;
    return this.#out.subarray(from, this.#given);
  }

  get #isAtEnd(): boolean {
    const usedBits = this.#from * 8 - this.#bits;
    if (usedBits > this.#input.length * 8) throw new Error("deflated data ends within a block");
    return usedBits === this.#input.length * 8;
  }

  #take(count: number): number {
    while (this.#bits < count) {
      this.#hold |= this.#input[this.#from++]! << this.#bits;
      this.#bits += 8;
    }
    const value = this.#hold & ((1 << count) - 1);
    this.#hold >>>= count;
    this.#bits -= count;
    return value;
  }

  #room(bytes: number): Uint8Array<ArrayBuffer> {
    if (this.#at + bytes <= this.#out.length) return this.#out;
    const larger = new Uint8Array(2 * Math.max(this.#out.length, this.#at + bytes));
    larger.set(this.#out);
    this.#out = larger;
    return larger;
  }

  #stored(): void {
    const from = this.#from - (this.#bits >> 3);
    const length = this.#input[from]! | (this.#input[from + 1]! << 8);
    this.#hold = 0;
    this.#bits = 0;
    this.#from = from + 4 + length;
    this.#room(length).set(this.#input.subarray(from + 4, this.#from), this.#at);
    this.#at += length;
  }

  #dynamic(): void {
    const literals = this.#take(5) + 257;
    const all = literals + this.#take(5) + 1;
    const count = this.#take(4) + 4;
    const short = new Uint8Array(19);
    for (let i = 0; i < count; i++) short[ORDER[i]!] = this.#take(3);
    const { table, mask } = codesOf(short);
    const lengths = new Uint8Array(all);
    for (let at = 0; at < all; ) {
      // Seven bits at most; what is not used is put back by not being taken.
      while (this.#bits < 7) {
        this.#hold |= this.#input[this.#from++]! << this.#bits;
        this.#bits += 8;
      }
      const entry = table[this.#hold & mask]!;
      this.#take(entry & 15);
      const symbol = entry >> 4;
      if (symbol < 16) {
        lengths[at++] = symbol;
        continue;
      }
      const value = symbol === 16 ? lengths[at - 1]! : 0;
      const times =
        symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      lengths.fill(value, at, at + times);
      at += times;
    }
    this.#block(codesOf(lengths.subarray(0, literals)), codesOf(lengths.subarray(literals)));
  }

  /** The hot loop: all it needs is in local variables. */
  #block(literals: Codes, distances: Codes): void {
    const input = this.#input;
    const end = input.length + 4;
    const { table, mask } = literals;
    const { table: farTable, mask: farMask } = distances;
    let out = this.#out;
    let at = this.#at;
    let from = this.#from;
    let hold = this.#hold;
    let bits = this.#bits;
    for (;;) {
      while (bits < 24) {
        hold |= input[from++]! << bits;
        bits += 8;
      }
      if (from > end) throw new Error("deflated data ends within a block");
      const entry = table[hold & mask]!;
      if (entry === 0) throw new Error("deflated data has a code that is not in its table");
      hold >>>= entry & 15;
      bits -= entry & 15;
      const symbol = entry >> 4;
      if (symbol === END_OF_BLOCK) break;
      if (at + 258 > out.length) {
        this.#at = at;
        out = this.#room(258);
      }
      if (symbol < END_OF_BLOCK) {
        out[at++] = symbol;
        continue;
      }
      const longer = LENGTH_EXTRA[symbol - 257]!;
      const stop = at + LENGTH_BASE[symbol - 257]! + (hold & ((1 << longer) - 1));
      hold >>>= longer;
      bits -= longer;
      while (bits < 15) {
        hold |= input[from++]! << bits;
        bits += 8;
      }
      const far = farTable[hold & farMask]!;
      hold >>>= far & 15;
      bits -= far & 15;
      while (bits < 13) {
        hold |= input[from++]! << bits;
        bits += 8;
      }
      const farther = DISTANCE_EXTRA[far >> 4]!;
      let back = at - DISTANCE_BASE[far >> 4]! - (hold & ((1 << farther) - 1));
      hold >>>= farther;
      bits -= farther;
      if (!(back >= 0)) throw new Error("deflated data refers to what was before it");
      while (at < stop) out[at++] = out[back++]!;
    }
    this.#at = at;
    this.#from = from;
    this.#hold = hold;
    this.#bits = bits;
  }
}
