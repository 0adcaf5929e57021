/** What is kept of secrets in memory while they are typed: numbers, since a string cannot be wiped. */

const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** The code points of UTF-8 (RFC 3629 section 3). Bytes that are none are U+FFFD, one each. */
export function lettersOf(utf8: Uint8Array): Uint32Array {
  const letters = new Uint32Array(utf8.length);
  let count = 0;
  for (let at = 0; at < utf8.length; ) {
    const first = utf8[at] ?? 0;
    const more =
      first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
    let point = more <= 0 ? first : first & (0x3f >> more);
    let length = 1;
    for (; length <= more; length++) {
      const next = utf8[at + length] ?? 0;
      if ((next & 0xc0) !== 0x80) break;
      point = (point << 6) | (next & 0x3f);
    }
    const isWhole = more >= 0 && length > more;
    letters[count++] = isWhole ? point : 0xfffd;
    at += isWhole ? length : 1;
  }
  return letters.subarray(0, count);
}

/** Whether they may be typed as a secret: one line of at most so many, see secretValueSchema. */
export function areTypable(letters: Uint32Array, most: number): boolean {
  if (letters.length < 1 || letters.length > most) return false;
  return letters.every((point) => !FORBIDDEN.test(String.fromCodePoint(point)));
}
