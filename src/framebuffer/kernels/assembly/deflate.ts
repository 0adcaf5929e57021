import { get, makeCode, set } from "./huffman";

/** RFC 1951 section 3.2.5. */
const MOST_BACK: i32 = 32768;
const LONGEST_MATCH: i32 = 258;
const END_OF_BLOCK: i32 = 256;
const SYMBOLS: i32 = 286;
const DISTANCES: i32 = 30;
const LENGTH_SYMBOLS: i32 = 19;

/** A match far away costs about as much as five plain bytes. */
const LEAST_MATCH: i32 = 6;
/** A match this long is not compared with others. */
const GOOD_MATCH: i32 = 48;

const HASH_BITS: u64 = 13;

/** Where the tables begin, in bytes from the first on. */
const RED_AT: usize = 4 << 13;
const GREEN_AT: usize = RED_AT + 1152;
const BLUE_AT: usize = GREEN_AT + 1152;
const DISTANCES_AT: usize = BLUE_AT + 1152;
const CODES_AT: usize = DISTANCES_AT + 128;
const DISTANCE_CODES_AT: usize = CODES_AT + 1152;
const LENGTHS_AT: usize = DISTANCE_CODES_AT + 128;
const PACKED_AT: usize = LENGTHS_AT + 1280;
const OFTEN_AT: usize = PACKED_AT + 1280;
const LENGTH_CODES_AT: usize = OFTEN_AT + 128;
const WORK_AT: usize = LENGTH_CODES_AT + 128;

/** A token is a pixel, or a row's filter type, or a match: its length << 15 and its distance less one. */
const TYPE: u32 = 0x40000000;
const MATCH: u32 = 0x80000000;

/** Bits that wait to be written, lowest first. */
let bits: u64 = 0;
let bitCount: u64 = 0;
let out: usize = 0;

/**
 * Compresses PNG rows of `rowBytes` bytes, a filter type and pixels of three bytes each: raw deflate, RFC 1951, one
 * block, then an empty stored block that ends with a whole byte, so that another segment may follow. Repeats are looked
 * for where pixels begin, on the left, above, and where the same two pixels were seen last.
 *
 * `tables` has room for 45,056 bytes, `tokens` for 4 bytes a pixel and a row; at `target` up to an eighth more than the
 * rows have, and 1,024 bytes, are written. Returns how many were.
 */
export function deflateRows(
  rows: usize,
  rowBytes: i32,
  count: i32,
  tables: usize,
  tokens: usize,
  target: usize,
): i32 {
  memory.fill(tables, 0, WORK_AT);
  const end = findMatches(rows, rowBytes, count, tables, tokens);
  const often = tables + RED_AT;
  for (let i = 0; i < 256; i++) {
    set(often, i, get(often, i) + get(tables + GREEN_AT, i) + get(tables + BLUE_AT, i));
  }
  set(often, END_OF_BLOCK, 1);
  bits = 0;
  bitCount = 0;
  out = target;
  writeHead(tables);
  writeTokens(tables, tokens, end);
  // An empty stored block, section 3.2.4: 3 bits, up to a whole byte, then lengths 0 and ~0.
  put(0, 3);
  put(0, (8 - (bitCount & 7)) & 7);
  put(0xffff0000, 32);
  return <i32>(out - target);
}

/** Writes tokens and counts their symbols; returns where they end. */
function findMatches(rows: usize, rowBytes: i32, count: i32, tables: usize, tokens: usize): usize {
  const red = tables + RED_AT;
  const green = tables + GREEN_AT;
  const blue = tables + BLUE_AT;
  const hasAbove = rowBytes <= MOST_BACK;
  let to = tokens;
  for (let y = 0; y < count; y++) {
    let p = rows + <usize>y * rowBytes;
    const end = p + rowBytes;
    const filter = load<u8>(p++);
    set(red, filter, get(red, filter) + 1);
    store<u32>(to, TYPE | filter);
    to += 4;
    while (p < end) {
      const most = min<i32>(<i32>(end - p), LONGEST_MATCH);
      const pixels = load<u64>(p) & 0xffffffffffff;
      let length = 0;
      let distance = 0;
      if (p >= rows + 3 && ((<u32>pixels ^ load<u32>(p - 3)) & 0xffffff) == 0) {
        length = equalBytes(p, p - 3, most);
        distance = 3;
      }
      if (length < GOOD_MATCH) {
        if (y > 0 && hasAbove && ((load<u64>(p - rowBytes) ^ pixels) & 0xffffffffffff) == 0) {
          const above = equalBytes(p, p - rowBytes, most);
          if (above > length && above >= LEAST_MATCH) {
            length = above;
            distance = rowBytes;
          }
        }
        if (length < GOOD_MATCH) {
          const slot = tables + ((<usize>((pixels * 0x9e3779b97f4a7c15) >> (64 - HASH_BITS))) << 2);
          const seen = <usize>load<u32>(slot);
          store<u32>(slot, <u32>p);
          if (seen != 0 && <i32>(p - seen) <= MOST_BACK && ((load<u64>(seen) ^ pixels) & 0xffffffffffff) == 0) {
            const same = equalBytes(p, seen, most);
            if (same > length && same >= LEAST_MATCH) {
              length = same;
              distance = <i32>(p - seen);
            }
          }
        }
      }
      if (length < 3) {
        const r = <i32>(<u8>pixels);
        const g = <i32>(<u8>(pixels >> 8));
        const b = <i32>(<u8>(pixels >> 16));
        set(red, r, get(red, r) + 1);
        set(green, g, get(green, g) + 1);
        set(blue, b, get(blue, b) + 1);
        store<u32>(to, <u32>pixels & 0xffffff);
        p += 3;
      } else {
        length -= length % 3;
        const symbol = lengthSymbol(length);
        const far = distanceSymbol(distance - 1);
        set(red, symbol, get(red, symbol) + 1);
        set(tables + DISTANCES_AT, far, get(tables + DISTANCES_AT, far) + 1);
        store<u32>(to, MATCH | (<u32>length << 15) | <u32>(distance - 1));
        p += length;
      }
      to += 4;
    }
  }
  return to;
}

/** How many bytes from `a` and from `b` on are the same, at most `most`. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function equalBytes(a: usize, b: usize, most: i32): i32 {
  let i = 0;
  for (; i < most; i += 16) {
    const same = i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i)));
    if (same != 0xffff) {
      i += ctz(~same);
      break;
    }
  }
  return min<i32>(i, most);
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function lengthSymbol(length: i32): i32 {
  if (length == LONGEST_MATCH) return 285;
  const value = length - 3;
  if (value < 8) return 257 + value;
  const extra = lengthBits(value);
  return 257 + (extra << 2) + (value >> extra);
}

/** Extra bits of a length that is 3 more than `value`. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function lengthBits(value: i32): i32 {
  return value < 8 || value == LONGEST_MATCH - 3 ? 0 : 29 - clz(value);
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function distanceSymbol(value: i32): i32 {
  if (value < 4) return value;
  const extra = 30 - clz(value);
  return (extra << 1) + (value >> extra);
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function put(value: u64, count: u64): void {
  bits |= value << bitCount;
  bitCount += count;
  store<u64>(out, bits);
  const whole = bitCount >> 3;
  out += <usize>whole;
  bits >>= whole << 3;
  bitCount &= 7;
}

/** A block with codes of its own, section 3.2.7. */
function writeHead(tables: usize): void {
  const work = tables + WORK_AT;
  const lengths = tables + LENGTHS_AT;
  const literals = max<i32>(257, makeCode(tables + RED_AT, SYMBOLS, 15, tables + CODES_AT, work));
  const distances = makeCode(tables + DISTANCES_AT, DISTANCES, 15, tables + DISTANCE_CODES_AT, work);
  for (let i = 0; i < literals; i++) set(lengths, i, get(tables + CODES_AT, i) >> 16);
  for (let i = 0; i < distances; i++) {
    set(lengths, literals + i, get(tables + DISTANCE_CODES_AT, i) >> 16);
  }
  const often = tables + OFTEN_AT;
  const packed = tables + PACKED_AT;
  const count = packLengths(lengths, literals + distances, packed, often);
  const codes = tables + LENGTH_CODES_AT;
  makeCode(often, LENGTH_SYMBOLS, 7, codes, work);
  let orders = LENGTH_SYMBOLS;
  while (orders > 4 && get(codes, orderAt(orders - 1)) == 0) orders--;
  put(0, 1); // not the last block
  put(2, 2);
  put(literals - 257, 5);
  put(distances - 1, 5);
  put(orders - 4, 4);
  for (let i = 0; i < orders; i++) put(get(codes, orderAt(i)) >> 16, 3);
  for (let i = 0; i < count; i++) {
    const word = get(packed, i);
    const code = get(codes, word & 31);
    put(code & 0xffff, code >> 16);
    put(word >> 16, (word >> 8) & 255);
  }
}

/** The order in which lengths of the lengths' code are written: 16, 17, 18, 0, 8, 7, 9, 6, 10, … 1, 15. */
function orderAt(index: i32): i32 {
  if (index < 3) return 16 + index;
  if (index == 3) return 0;
  return index & 1 ? 7 - ((index - 5) >> 1) : 8 + ((index - 4) >> 1);
}

/** Runs of lengths: each word a symbol, << 8 how many extra bits, << 16 their value. Returns how many there are. */
function packLengths(lengths: usize, count: i32, packed: usize, often: usize): i32 {
  let at = 0;
  for (let i = 0; i < count; ) {
    const length = get(lengths, i);
    let run = 1;
    while (i + run < count && get(lengths, i + run) == length) run++;
    let word: u32 = length;
    let step = 1;
    if (length == 0 && run >= 11) {
      step = min<i32>(run, 138);
      word = 18 | (7 << 8) | (<u32>(step - 11) << 16);
    } else if (length == 0 && run >= 3) {
      step = run;
      word = 17 | (3 << 8) | (<u32>(step - 3) << 16);
    } else if (i > 0 && run >= 3 && get(lengths, i - 1) == length) {
      step = min<i32>(run, 6);
      word = 16 | (2 << 8) | (<u32>(step - 3) << 16);
    }
    set(often, word & 31, get(often, word & 31) + 1);
    set(packed, at++, word);
    i += step;
  }
  return at;
}

function writeTokens(tables: usize, tokens: usize, end: usize): void {
  const codes = tables + CODES_AT;
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at);
    if (token < TYPE) {
      const r = get(codes, token & 255);
      const g = get(codes, (token >> 8) & 255);
      const b = get(codes, token >> 16);
      const first = r >> 16;
      const second = first + (g >> 16);
      const value = <u64>(r & 0xffff) | (<u64>(g & 0xffff) << first) | (<u64>(b & 0xffff) << second);
      put(value, second + (b >> 16));
    } else if (token < MATCH) {
      const code = get(codes, token & 255);
      put(code & 0xffff, code >> 16);
    } else {
      writeMatch(tables, (token >> 15) & 0x1ff, token & 0x7fff);
    }
  }
  const code = get(codes, END_OF_BLOCK);
  put(code & 0xffff, code >> 16);
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function writeMatch(tables: usize, length: i32, back: i32): void {
  const code = get(tables + CODES_AT, lengthSymbol(length));
  const value = length - 3;
  const extra = lengthBits(value);
  put(<u64>(code & 0xffff) | (<u64>(value & ((1 << extra) - 1)) << (code >> 16)), (code >> 16) + extra);
  const far = get(tables + DISTANCE_CODES_AT, distanceSymbol(back));
  const farther = back < 4 ? 0 : 30 - clz(back);
  put(<u64>(far & 0xffff) | (<u64>(back & ((1 << farther) - 1)) << (far >> 16)), (far >> 16) + farther);
}
