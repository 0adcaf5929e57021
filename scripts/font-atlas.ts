// `tsx scripts/font-atlas.ts`: writes data/fonts/fixed.txt, the glyphs of X's fixed fonts (Debian: xfonts-base), which are in
// the public domain, and data/fonts/ofl.txt, those of Terminus Font (Debian: xfonts-terminus), under the SIL Open Font
// License 1.1, so that terminals that use them are read letter by letter instead of by guess.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const FONTS_DIR = "/usr/share/fonts/X11/misc/";
const OUTPUT = fileURLToPath(new URL("../data/fonts/", import.meta.url));

interface Font {
  /** As it is named in the output: the family where it is not X's own, the size, B where it is bold. */
  readonly name: string;
  readonly file: string;
  readonly width: number;
}

const FIXED = [
  ...["4x6", "5x7", "5x8", "6x9", "6x10", "6x12", "6x13", "6x13B", "7x13", "7x13B", "7x14", "7x14B"],
  ...["8x13", "8x13B", "9x15", "9x15B", "9x18", "9x18B", "10x20"],
].map((name): Font => ({ name, file: name, width: Number.parseInt(name, 10) }));

/** Its sizes. */
const OFL = ["6x12", "8x14", "8x16", "10x18", "10x20", "11x22", "12x24", "14x28", "16x32"].flatMap((size) => {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return [
    { name: `ter ${size}`, file: `ter-u${height}n_unicode`, width },
    { name: `ter ${size}B`, file: `ter-u${height}b_unicode`, width },
  ];
});

/**
 * Latin letters and the signs that stand among them; lines that are drawn with letters are no text. Without the dotless i:
 * where a dot touches the line above, an i looks like it.
 */
const RANGES = [
  [0x21, 0x7e],
  [0xa1, 0xac],
  [0xae, 0x130],
  [0x132, 0x17f],
  [0x2018, 0x201e],
  [0x2020, 0x2022],
  [0x2026, 0x2026],
  [0x20ac, 0x20ac],
  [0x2190, 0x2193],
  [0x2713, 0x2717],
] as const;

/** Tables of the Portable Compiled Format (X.Org, "PCF font format"). */
const METRICS = 1 << 2;
const BITMAPS = 1 << 3;
const ENCODINGS = 1 << 5;
const COMPRESSED_METRICS = 0x100;

interface Metrics {
  readonly left: number;
  readonly right: number;
  readonly ascent: number;
  readonly descent: number;
}

class Pcf {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    if (bytes.readUInt32LE(0) !== 0x70636601) throw new Error("expected a PCF font");
    this.#bytes = bytes;
  }

  /** Where a table begins, and its numbers after the format in the order of bytes that it says. */
  #table(type: number) {
    const bytes = this.#bytes;
    for (let index = 0; index < bytes.readUInt32LE(4); index++) {
      const entry = 8 + index * 16;
      if (bytes.readUInt32LE(entry) !== type) continue;
      const at = bytes.readUInt32LE(entry + 12);
      const format = bytes.readUInt32LE(at);
      const isBig = (format & 4) !== 0;
      return {
        at,
        format,
        u16: (offset: number) => (isBig ? bytes.readUInt16BE(at + offset) : bytes.readUInt16LE(at + offset)),
        i16: (offset: number) => (isBig ? bytes.readInt16BE(at + offset) : bytes.readInt16LE(at + offset)),
        u32: (offset: number) => (isBig ? bytes.readUInt32BE(at + offset) : bytes.readUInt32LE(at + offset)),
        u8: (offset: number) => bytes.readUInt8(at + offset),
      };
    }
    throw new Error(`the font has no table ${type}`);
  }

  metrics(): Metrics[] {
    const table = this.#table(METRICS);
    if ((table.format & COMPRESSED_METRICS) !== 0) {
      return Array.from({ length: table.u16(4) }, (_, index) => {
        const at = 6 + index * 5;
        const signed = (offset: number): number => table.u8(at + offset) - 0x80;
        return { left: signed(0), right: signed(1), ascent: signed(3), descent: signed(4) };
      });
    }
    return Array.from({ length: table.u32(4) }, (_, index) => {
      const at = 8 + index * 12;
      return {
        left: table.i16(at),
        right: table.i16(at + 2),
        ascent: table.i16(at + 6),
        descent: table.i16(at + 8),
      };
    });
  }

  /** The number of the glyph of a code point; null where it has none. */
  glyphOf(code: number): number | null {
    const table = this.#table(ENCODINGS);
    const [firstLow, lastLow, firstHigh, lastHigh] = [
      table.u16(4),
      table.u16(6),
      table.u16(8),
      table.u16(10),
    ];
    const [low, high] = [code & 255, code >> 8];
    if (low < firstLow || low > lastLow || high < firstHigh || high > lastHigh) return null;
    const index = table.u16(14 + 2 * ((high - firstHigh) * (lastLow - firstLow + 1) + low - firstLow));
    return index === 0xffff ? null : index;
  }

  /** True where a glyph has ink. */
  pixels(glyph: number): (column: number, row: number, width: number) => boolean {
    const table = this.#table(BITMAPS);
    const count = table.u32(4);
    const start = table.u32(8 + 4 * glyph);
    const pad = 1 << (table.format & 3);
    const unit = 1 << ((table.format >> 4) & 3);
    const isBigByte = (table.format & 4) !== 0;
    const isBigBit = (table.format & 8) !== 0;
    const data = 8 + 4 * count + 16;
    return (column, row, width) => {
      const stride = Math.ceil(Math.ceil(width / 8) / pad) * pad;
      let byte = start + row * stride + (column >> 3);
      if (isBigByte !== isBigBit) byte = (byte & ~(unit - 1)) + (unit - 1 - (byte & (unit - 1)));
      const bits = table.u8(data + byte);
      return ((bits >> (isBigBit ? 7 - (column & 7) : column & 7)) & 1) === 1;
    };
  }
}

/** Rows of bits, the leftmost the highest, of cells as high as the font says. */
function glyphsOf({ file, width }: Font): string[] {
  const pcf = new Pcf(gunzipSync(readFileSync(`${FONTS_DIR}${file}.pcf.gz`)));
  const metrics = pcf.metrics();
  const ink = new Map<string, { top: number; rows: number[] }>();
  for (const [from, to] of RANGES) {
    for (let code = from; code <= to; code++) {
      const index = pcf.glyphOf(code);
      const glyph = index === null ? undefined : metrics[index];
      if (index === null || glyph === undefined) continue;
      const isInk = pcf.pixels(index);
      const wide = glyph.right - glyph.left;
      const rows = Array.from({ length: glyph.ascent + glyph.descent }, (_, row) => {
        let bits = 0;
        for (let x = 0; x < wide; x++) if (isInk(x, row, wide)) bits |= 1 << (width - 1 - x - glyph.left);
        return bits;
      });
      const first = rows.findIndex((bits) => bits !== 0);
      if (first < 0) continue;
      const last = rows.findLastIndex((bits) => bits !== 0);
      ink.set(String.fromCodePoint(code), { top: first - glyph.ascent, rows: rows.slice(first, last + 1) });
    }
  }
  const digits = Math.ceil(width / 4);
  return [...ink].map(
    ([text, { top, rows }]) =>
      `${text} ${top} ${rows.map((bits) => bits.toString(16).padStart(digits, "0")).join("")}`,
  );
}

/** A line "font NAME", and one for each glyph: the letter, its first row from the baseline, its rows. */
for (const [file, fonts] of [["fixed.txt", FIXED] as const, ["ofl.txt", OFL] as const]) {
  const lines = fonts.flatMap((font) => [`font ${font.name}`, ...glyphsOf(font)]);
  writeFileSync(`${OUTPUT}${file}`, `${lines.join("\n")}\n`);
  process.stdout.write(`${file}: ${fonts.length} fonts, ${lines.length - fonts.length} glyphs\n`);
}
