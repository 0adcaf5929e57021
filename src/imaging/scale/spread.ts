/**
 * How new pixels cover old ones along one axis. With both lengths in units of their greatest common divisor, an old
 * pixel is `to` units long and a new one `total` = `from` units. New pixel i begins in old pixel `first[i]`, of which
 * it covers `head[i]` units, and ends in `last[i]`, of which it covers `tail[i]`; those between it covers whole.
 */
export interface Spread {
  readonly total: number;
  readonly whole: number;
  readonly first: Int32Array;
  readonly head: Int32Array;
  readonly last: Int32Array;
  readonly tail: Int32Array;
}

/** Both at least 1. */
export function spread(from: number, to: number): Spread {
  const divisor = greatestCommonDivisor(from, to);
  const total = from / divisor;
  const whole = to / divisor;
  const first = new Int32Array(to);
  const head = new Int32Array(to);
  const last = new Int32Array(to);
  const tail = new Int32Array(to);
  for (let i = 0; i < to; i++) {
    const start = i * total;
    const end = start + total;
    const begins = Math.floor(start / whole);
    const ends = Math.ceil(end / whole) - 1;
    first[i] = begins;
    last[i] = ends;
    head[i] = Math.min(end, (begins + 1) * whole) - start;
    tail[i] = ends === begins ? 0 : end - ends * whole;
  }
  return { total, whole, first, head, last, tail };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Units of old line `y` that new line `i` covers. */
export function weightOf(axis: Spread, i: number, y: number): number {
  if (y === axis.first[i]) return axis.head[i]!;
  return y === axis.last[i] ? axis.tail[i]! : axis.whole;
}
