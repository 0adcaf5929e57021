import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";

/** How to write a planar bitmap, MS-RDPEGDI 2.2.2.5.1. */
export interface PlanarChoice {
  readonly isRunLength: boolean;
  readonly hasAlpha: boolean;
  /** 0 is red, green and blue; 1 to 7 is luma and chroma. */
  readonly colourLoss: number;
  readonly isSubsampled: boolean;
}

export const EXACT: PlanarChoice = {
  isRunLength: true,
  hasAlpha: false,
  colourLoss: 0,
  isSubsampled: false,
};

/** RGBA pixels as a planar bitmap. Luma and chroma lose what the choice says; nothing else is lost. */
export function encodePlanar(rgba: Uint8Array, width: number, height: number, choice = EXACT): Uint8Array {
  const { isRunLength, hasAlpha, colourLoss, isSubsampled } = choice;
  const header = colourLoss | (isSubsampled ? 0x08 : 0) | (isRunLength ? 0x10 : 0) | (hasAlpha ? 0 : 0x20);
  const to = new LittleEndianWriter().u8(header);
  const count = width * height;
  const channel = (c: number): Uint8Array =>
    Uint8Array.from({ length: count }, (_, i) => rgba[4 * i + c] ?? 0);
  const write = (plane: Uint8Array, w: number, h: number): void => {
    to.put(isRunLength ? runLength(plane, w, h) : plane);
  };
  if (hasAlpha) write(channel(3), width, height);
  if (colourLoss === 0) {
    for (const c of [0, 1, 2]) write(channel(c), width, height);
  } else {
    // Windows mixes up red and blue (3.1.9.1.2); so does this.
    const [blue, green, red] = [channel(0), channel(1), channel(2)];
    const at = (plane: Uint8Array, i: number): number => plane[i] ?? 0;
    const luma = Uint8Array.from(
      { length: count },
      (_, i) => (at(red, i) + 2 * at(green, i) + at(blue, i)) >> 2,
    );
    const orange = (i: number): number => (at(red, i) - at(blue, i)) >> colourLoss;
    const greenness = (i: number): number =>
      (2 * at(green, i) - at(red, i) - at(blue, i)) >> (colourLoss + 1);
    write(luma, width, height);
    const step = isSubsampled ? 2 : 1;
    const w = Math.ceil(width / step);
    const h = Math.ceil(height / step);
    for (const chroma of [orange, greenness]) {
      const place = (i: number): number => Math.floor(i / w) * step * width + (i % w) * step;
      write(
        Uint8Array.from({ length: w * h }, (_, i) => chroma(place(i)) & 255),
        w,
        h,
      );
    }
  }
  if (!isRunLength) to.u8(0 /* pad */);
  return to.bytes();
}

/** Runs of 3 and more, in rows of differences (2.2.2.5.1.1). */
function runLength(plane: Uint8Array, width: number, height: number): Uint8Array {
  const out: number[] = [];
  for (let y = 0; y < height; y++) {
    const row = Array.from({ length: width }, (_, x) => {
      const value = plane[y * width + x] ?? 0;
      if (y === 0) return value;
      const difference = ((value - (plane[(y - 1) * width + x] ?? 0) + 128) & 255) - 128;
      return difference >= 0 ? (difference << 1) & 255 : (-difference << 1) - 1;
    });
    for (let x = 0; x < width; ) {
      const start = x;
      let raw = 0;
      let run = 0;
      // Raw values until three of a kind follow the last of them; before the first value of a row it is 0.
      for (;;) {
        const last = start + raw === 0 ? 0 : row[start + raw - 1];
        run = 0;
        while (start + raw + run < width && row[start + raw + run] === last && run < 47) run++;
        const isRun = run >= 3 && (raw > 0 || start + raw > 0 || last === 0);
        if (isRun || raw === 15 || start + raw >= width) break;
        raw++;
      }
      if (run < 3) run = 0;
      x = start + raw + run;
      const first = raw > 0 ? Math.min(run, 15) : run;
      const shortRun = first < 3 ? 0 : first;
      if (raw > 0) {
        out.push((raw << 4) | shortRun, ...row.slice(start, start + raw));
        run -= shortRun;
      }
      while (run > 0) {
        if (run >= 32) out.push(((run - 32) << 4) | 2);
        else if (run >= 16) out.push(((run - 16) << 4) | 1);
        else if (run >= 3) out.push(run);
        else {
          x -= run;
          break;
        }
        run = 0;
      }
    }
  }
  return Uint8Array.from(out);
}
