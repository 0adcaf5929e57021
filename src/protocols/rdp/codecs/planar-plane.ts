import { badData, cutOff } from "./bad-data.ts";

/** A plane that is not compressed, of width * height bytes, to to[offset]; returns where it ends in `from`. */
export function rawPlane(
  from: Uint8Array,
  start: number,
  width: number,
  height: number,
  to: Uint8Array,
  offset: number,
): number {
  const end = start + width * height;
  if (end > from.length) throw cutOff("planar");
  to.set(from.subarray(start, end), offset);
  return end;
}

/**
 * A run-length encoded plane, MS-RDPEGDI 2.2.2.5.1.1 and 3.1.9.2.3, to to[offset]; returns where it ends in `from`. Each
 * row is
 *
 *     controlByte (low 4 bits nRunLength, high 4 bits cRawBytes), cRawBytes values, …
 *
 * nRunLength 1 and 2 mean a run of cRawBytes + 16 and + 32 and no values. Values of all rows but the first are
 * differences to the row above: lowest bit the sign, the others the amount. A run repeats the last value of its row, 0
 * where it has none.
 */
export function rlePlane(
  from: Uint8Array,
  start: number,
  width: number,
  height: number,
  to: Uint8Array,
  offset: number,
): number {
  let read = start;
  for (let y = 0, at = offset; y < height; y++, at += width) {
    // Most of most rows is the row above: then only what differs is touched.
    if (y > 0) to.copyWithin(at, at - width, at);
    read = planeRow(from, read, width, to, at, 1, y === 0);
  }
  return read;
}

/** Where a run-length encoded plane ends, whose values nobody wants. */
export function skipRlePlane(from: Uint8Array, start: number, width: number, height: number): number {
  let read = start;
  for (let y = 0; y < height; y++) {
    for (let left = width; left > 0; ) {
      const control = from[read++];
      if (control === undefined) throw cutOff("planar");
      const run = control & 15;
      const raw = control >> 4;
      const isLong = run === 1 || run === 2;
      const count = isLong ? run * 16 + raw : run + raw;
      if (count > left) throw badData(`planar segment of ${count} values, expected ${left} at most`);
      if (!isLong) read += raw;
      left -= count;
    }
  }
  return read;
}

/**
 * One row of a run-length encoded plane, as rlePlane has it, to every `step`th byte from to[offset] on: one channel of
 * pixels where that is 4. Unless it is the first, the row holds what the row above holds, and gets what differs. Returns
 * where the row ends in `from`.
 */
export function planeRow(
  from: Uint8Array,
  start: number,
  width: number,
  to: Uint8Array,
  offset: number,
  step: number,
  isFirst: boolean,
): number {
  const most = from.length;
  const rowEnd = offset + width * step;
  let read = start;
  let at = offset;
  let value = 0;
  while (at < rowEnd) {
    if (read >= most) throw cutOff("planar");
    const control = from[read++]!;
    let run = control & 15;
    let raw = control >> 4;
    if (run === 1 || run === 2) {
      run = run * 16 + raw;
      raw = 0;
    }
    const rawEnd = at + raw * step;
    const end = rawEnd + run * step;
    if (end > rowEnd)
      throw badData(`planar segment of ${raw + run} values, expected ${(rowEnd - at) / step} at most`);
    if (read + raw > most) throw cutOff("planar");
    if (isFirst) {
      for (; at < rawEnd; at += step) to[at] = value = from[read++]!;
      for (; at < end; at += step) to[at] = value;
      continue;
    }
    for (; at < rawEnd; at += step) {
      const coded = from[read++]!;
      value = (coded >> 1) ^ -(coded & 1);
      to[at]! += value;
    }
    if (value === 0) at = end;
    else for (; at < end; at += step) to[at]! += value;
  }
  return read;
}
