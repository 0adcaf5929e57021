// Prefix codes for deflate, RFC 1951 section 3.2.2. Lists are 32-bit numbers from an address on.

// @ts-expect-error: a decorator of AssemblyScript
@inline
export function get(list: usize, index: i32): u32 {
  return load<u32>(list + ((<usize>index) << 2));
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
export function set(list: usize, index: i32, value: u32): void {
  store<u32>(list + ((<usize>index) << 2), value);
}

/** Bits of a key that name the symbol; what is above them is how often it comes. */
const SYMBOL_BITS: u32 = 9;

/** Lists of the work space, in bytes: 288 keys, as many symbols, and how many codes have each length. */
const SYMBOLS_AT: usize = 1152;
const COUNTS_AT: usize = 2304;

/**
 * Makes the code of `count` symbols that come as often as `often` says: at `codes` for each its length << 16 and its
 * bits, the first lowest; 0 where it never comes. At least two symbols get a code, so that every reader takes it.
 * `work` has room for 2,560 bytes. Returns how many symbols there are up to the last with a code.
 */
export function makeCode(often: usize, count: i32, longest: i32, codes: usize, work: usize): i32 {
  const symbols = work + SYMBOLS_AT;
  const counts = work + COUNTS_AT;
  let used = 0;
  let last = 0;
  for (let i = 0; i < count; i++) if (get(often, i) > 0) used++;
  for (let i = 0; used < 2; i++) {
    if (get(often, i) > 0) continue;
    set(often, i, 1);
    used++;
  }
  used = 0;
  for (let i = 0; i < count; i++) {
    set(codes, i, 0);
    const times = get(often, i);
    if (times == 0) continue;
    set(work, used++, (times << SYMBOL_BITS) | i);
    last = i;
  }
  sort(work, used);
  for (let i = 0; i < used; i++) {
    const key = get(work, i);
    set(symbols, i, key & ((1 << SYMBOL_BITS) - 1));
    set(work, i, key >> SYMBOL_BITS);
  }
  findLengths(work, used);
  countLengths(work, used, longest, counts);
  // The rarest symbols come first and have the longest codes.
  let next = 0;
  for (let length = longest; length > 0; length--) {
    for (let n = get(counts, length); n > 0; n--) set(codes, get(symbols, next++), <u32>length << 16);
  }
  numberCodes(codes, count, longest, counts, work);
  return last + 1;
}

/** Shell's sort, ascending. */
function sort(list: usize, count: i32): void {
  for (let gap = 121; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < count; i++) {
      const value = get(list, i);
      let at = i;
      for (; at >= gap && get(list, at - gap) > value; at -= gap) set(list, at, get(list, at - gap));
      set(list, at, value);
    }
  }
}

/**
 * Turns ascending weights, two at least, into the lengths of their codes, where they lie: Moffat and Katajainen,
 * "In-place calculation of minimum-redundancy codes", 1995. First pass: weights of inner nodes, then their parents;
 * second: how deep each inner node is; third: how many leaves that leaves at each depth.
 */
function findLengths(list: usize, count: i32): void {
  let leaf = 0;
  let root = 0;
  for (let node = 0; node < count - 1; node++) {
    let weight: u32 = 0;
    for (let child = 0; child < 2; child++) {
      if (leaf >= count || (root < node && get(list, root) < get(list, leaf))) {
        weight += get(list, root);
        set(list, root++, node);
      } else {
        weight += get(list, leaf++);
      }
    }
    set(list, node, weight);
  }
  set(list, count - 2, 0);
  for (let node = count - 3; node >= 0; node--) set(list, node, get(list, get(list, node)) + 1);
  let free = 1;
  let node = count - 2;
  let at = count - 1;
  for (let depth: u32 = 0; free > 0; depth++) {
    let inner = 0;
    for (; node >= 0 && get(list, node) == depth; node--) inner++;
    for (; free > inner; free--) set(list, at--, depth);
    free = 2 * inner;
  }
}

/** How many codes have each length, none longer than `longest`: what is too long takes the place of shorter ones. */
function countLengths(lengths: usize, used: i32, longest: i32, counts: usize): void {
  for (let i = 0; i <= longest; i++) set(counts, i, 0);
  for (let i = 0; i < used; i++) {
    const length = min<i32>(get(lengths, i), longest);
    set(counts, length, get(counts, length) + 1);
  }
  let total: u32 = 0;
  for (let length = 1; length <= longest; length++) total += get(counts, length) << (longest - length);
  for (; total > <u32>1 << longest; total--) {
    let length = longest - 1;
    while (get(counts, length) == 0) length--;
    set(counts, length, get(counts, length) - 1);
    set(counts, length + 1, get(counts, length + 1) + 2);
    set(counts, longest, get(counts, longest) - 1);
  }
}

/** Codes of one length are numbered by their symbols, shorter ones come first. */
function numberCodes(codes: usize, count: i32, longest: i32, counts: usize, next: usize): void {
  let code: u32 = 0;
  for (let length = 1; length <= longest; length++) {
    set(next, length, code);
    code = (code + get(counts, length)) << 1;
  }
  for (let i = 0; i < count; i++) {
    const length = get(codes, i) >> 16;
    if (length == 0) continue;
    const number = get(next, length);
    set(next, length, number + 1);
    set(codes, i, (length << 16) | reversed(number, length));
  }
}

function reversed(number: u32, bits: u32): u32 {
  let out: u32 = 0;
  for (let i: u32 = 0; i < bits; i++) out |= ((number >> i) & 1) << (bits - 1 - i);
  return out;
}
