import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { badData, cutOff } from "./bad-data.ts";
import { planeRow, skipRlePlane } from "./planar-plane.ts";

/** Where a bitmap's rows go. */
export interface PlanarRows {
  /** 0xAABBGGRR. */
  readonly words: Uint32Array;
  /** The same memory. */
  readonly bytes: Uint8Array;
  /** The word of the first pixel of the row that comes first. */
  readonly first: number;
  /** From a row to the one that comes after it, in words; below zero where rows come bottom up. */
  readonly step: number;
}

/**
 * Three run-length encoded planes from data[at] on, red, green and blue, straight to pixels. Rows are mostly what the
 * rows above them are: all three channels of those are copied at once, and only what differs is touched.
 */
export function rleRows(data: Uint8Array, at: number, width: number, height: number, to: PlanarRows): void {
  const { words, bytes, first, step } = to;
  let green = skipRlePlane(data, at, width, height);
  if (isThrice(data, at, green - at)) {
    greyRows(data, at, width, height, to);
    return;
  }
  let blue = skipRlePlane(data, green, width, height);
  words.fill(OPAQUE, first, first + width);
  let red = at;
  for (let y = 0, row = first; y < height; y++, row += step) {
    if (y > 0) words.copyWithin(row, row - step, row - step + width);
    red = planeRow(data, red, width, bytes, row * 4, 4, y === 0);
    green = planeRow(data, green, width, bytes, row * 4 + 1, 4, y === 0);
    blue = planeRow(data, blue, width, bytes, row * 4 + 2, 4, y === 0);
  }
}

/** True where the same `count` bytes stand there three times: text in greys has three planes of the same bytes. */
function isThrice(data: Uint8Array, at: number, count: number): boolean {
  if (at + 3 * count > data.length) return false;
  const view = new DataView(data.buffer, data.byteOffset + at, 3 * count);
  const whole = count & ~3;
  for (let i = 0; i < whole; i += 4) {
    const word = view.getInt32(i, true);
    if (word !== view.getInt32(count + i, true) || word !== view.getInt32(2 * count + i, true)) return false;
  }
  for (let i = whole; i < count; i++) {
    const byte = view.getUint8(i);
    if (byte !== view.getUint8(count + i) || byte !== view.getUint8(2 * count + i)) return false;
  }
  return true;
}

/** One plane that is all three. */
function greyRows(data: Uint8Array, start: number, width: number, height: number, to: PlanarRows): void {
  const { words, first, step } = to;
  const most = data.length;
  let read = start;
  for (let y = 0, row = first; y < height; y++, row += step) {
    const rowEnd = row + width;
    if (y > 0) words.copyWithin(row, row - step, row - step + width);
    let at = row;
    let value = 0;
    while (at < rowEnd) {
      if (read >= most) throw cutOff("planar");
      const control = data[read++]!;
      let run = control & 15;
      let raw = control >> 4;
      if (run === 1 || run === 2) {
        run = run * 16 + raw;
        raw = 0;
      }
      const rawEnd = at + raw;
      const end = rawEnd + run;
      if (end > rowEnd)
        throw badData(`planar segment of ${end - at} values, expected ${rowEnd - at} at most`);
      if (read + raw > most) throw cutOff("planar");
      if (y === 0) {
        for (; at < rawEnd; at++) {
          value = data[read++]!;
          words[at] = greyOf(value);
        }
        for (const word = greyOf(value); at < end; at++) words[at] = word;
        continue;
      }
      for (; at < rawEnd; at++) {
        const coded = data[read++]!;
        value = (coded >> 1) ^ -(coded & 1);
        words[at] = greyOf(words[at]! + value);
      }
      if (value === 0) at = end;
      else for (; at < end; at++) words[at] = greyOf(words[at]! + value);
    }
  }
}

/** The pixel whose three channels are the lowest byte of a number. */
function greyOf(value: number): number {
  return ((value & 0xff) * 0x01_0101) | OPAQUE;
}
