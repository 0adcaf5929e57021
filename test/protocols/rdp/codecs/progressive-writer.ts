import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { BANDS, TILE_COEFFICIENTS, type Wavelet } from "../../../../src/protocols/rdp/codecs/wavelet.ts";
import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";
import { BitWriter } from "./bit-writer.ts";
import { encodeRlgr } from "./rlgr-writer.ts";

/** Ten values in the order HL1, LH1, HH1, HL2, … LL3. */
export type Bands = readonly number[];

/** One value for all sub-bands. */
export function evenly(value: number): Bands {
  return new Array<number>(BANDS).fill(value);
}

/** Ten half-bytes in the order of the wire: LL3, HL3, LH3, HH3, HL2, LH2, HH2, HL1, LH1, HH1. */
function quantisation(to: LittleEndianWriter, values: Bands): void {
  const order = [9, 6, 7, 8, 3, 4, 5, 0, 1, 2];
  const wire = order.map((band) => values[band] ?? 0);
  for (let i = 0; i < BANDS; i += 2) to.u8((wire[i] ?? 0) | ((wire[i + 1] ?? 0) << 4));
}

export function block(type: number, body: Uint8Array): Uint8Array {
  return new LittleEndianWriter()
    .u16(type)
    .u32(6 + body.length)
    .put(body)
    .bytes();
}

/** Which pass a tile is of, and what it says. */
export interface TileOptions {
  readonly kind: "simple" | "first" | "upgrade";
  readonly column: number;
  readonly row: number;
  readonly isDifference?: boolean;
  /** Index of the pass' table; 255 is all there is. */
  readonly quality?: number;
  /** Data of the three components; for an upgrade pairs of SRL and raw. */
  readonly data: readonly (Uint8Array | readonly [Uint8Array, Uint8Array])[];
}

export function tile(wish: TileOptions): Uint8Array {
  const { kind, column, row, isDifference = false, quality = 255, data } = wish;
  const to = new LittleEndianWriter().u8(0).u8(0).u8(0).u16(column).u16(row);
  if (kind !== "upgrade") to.u8(isDifference ? 1 : 0);
  if (kind !== "simple") to.u8(quality);
  const parts = data.flatMap((part) => (part instanceof Uint8Array ? [part] : [...part]));
  for (const part of parts) to.u16(part.length);
  if (kind !== "upgrade") to.u16(0 /* tailLen */);
  for (const part of parts) to.put(part);
  const type = { simple: 0xccc5, first: 0xccc6, upgrade: 0xccc7 }[kind];
  return block(type, to.bytes());
}

export interface RegionOptions {
  readonly rects: readonly Rect[];
  readonly quantisation: Bands;
  /** What each pass leaves out, the same for all components. */
  readonly passes?: readonly Bands[];
  readonly isReduced?: boolean;
  readonly tiles: readonly Uint8Array[];
}

export function region({
  rects,
  quantisation: table,
  passes = [],
  isReduced = false,
  tiles,
}: RegionOptions): Uint8Array {
  const bytes = tiles.reduce((sum, part) => sum + part.length, 0);
  const to = new LittleEndianWriter();
  to.u8(64)
    .u16(rects.length)
    .u8(1)
    .u8(passes.length)
    .u8(isReduced ? 1 : 0);
  to.u16(tiles.length).u32(bytes);
  for (const { x, y, width, height } of rects) to.u16(x).u16(y).u16(width).u16(height);
  quantisation(to, table);
  for (const pass of passes) {
    to.u8(50 /* percent */);
    for (let component = 0; component < 3; component++) quantisation(to, pass);
  }
  for (const part of tiles) to.put(part);
  return block(0xccc4, to.bytes());
}

/** A whole stream: sync, context, and the regions as one frame. */
export function stream(regions: readonly Uint8Array[], hasSubbandDiffing = true): Uint8Array {
  const to = new LittleEndianWriter();
  to.put(block(0xccc0, new LittleEndianWriter().u32(0xcaccacca).u16(0x0100).bytes()));
  to.put(
    block(
      0xccc3,
      new LittleEndianWriter()
        .u8(0)
        .u16(64)
        .u8(hasSubbandDiffing ? 1 : 0)
        .bytes(),
    ),
  );
  to.put(block(0xccc1, new LittleEndianWriter().u32(0).u16(regions.length).bytes()));
  for (const part of regions) to.put(part);
  return to.put(block(0xccc2, new Uint8Array())).bytes();
}

function bandOf(wavelet: Wavelet, i: number): number {
  return wavelet.bands.findIndex(({ start, count }) => i >= start && i < start + count);
}

/** What is left of a number when its lowest bits go: towards zero, but LL3 downwards, for it has no sign of its own. */
function coarse(value: number, bits: number, isLast: boolean): number {
  if (isLast) return value >> bits;
  return value < 0 ? -(-value >> bits) : value >> bits;
}

/** The first pass of a component (or with nothing left out, the only one): RLGR1, LL3 as differences. */
export function firstPass(values: readonly number[], wavelet: Wavelet, leftOut: Bands): Uint8Array {
  const out = values.map((value, i) => {
    const band = bandOf(wavelet, i);
    return coarse(value, leftOut[band] ?? 0, band === BANDS - 1);
  });
  const last = wavelet.bands[BANDS - 1]?.start ?? 0;
  for (let i = TILE_COEFFICIENTS - 1; i > last; i--) out[i] = (out[i] ?? 0) - (out[i - 1] ?? 0);
  return encodeRlgr(1, out);
}

/** A pass that refines a component from `before` bits left out to `after`: SRL for what was zero, raw for the rest. */
export function upgradePass(
  values: readonly number[],
  wavelet: Wavelet,
  before: Bands,
  after: Bands,
): readonly [Uint8Array, Uint8Array] {
  const raw = new BitWriter();
  const srl = new SrlWriter();
  for (const [i, value] of values.entries()) {
    const band = bandOf(wavelet, i);
    const isLast = band === BANDS - 1;
    const from = before[band] ?? 0;
    const to = after[band] ?? 0;
    const bits = from - to;
    if (bits === 0) continue;
    const known = coarse(value, from, isLast);
    const now = coarse(value, to, isLast);
    if (isLast || known !== 0) raw.put(Math.abs(now - known * 2 ** bits), bits);
    else srl.put(now, bits);
  }
  return [srl.bytes(), raw.bytes()];
}

/** Simplified run-length coding, MS-RDPEGFX 3.2.8.1.5.1.2, from the encoder's side. */
class SrlWriter {
  readonly #bits = new BitWriter();
  #k = 8;
  #zeros = 0;

  put(value: number, bitCount: number): void {
    if (value === 0) {
      this.#zeros++;
      return;
    }
    this.#flushRuns();
    this.#bits.text("1").put(this.#zeros, this.#k >> 3);
    this.#zeros = 0;
    this.#bits.put(value < 0 ? 1 : 0, 1);
    this.#k = Math.max(0, this.#k - 6);
    const amount = Math.abs(value);
    const most = 2 ** bitCount - 1;
    if (bitCount === 1) return;
    this.#bits.text("0".repeat(amount - 1));
    if (amount < most) this.#bits.text("1");
  }

  bytes(): Uint8Array {
    this.#flushRuns();
    // Zeros that do not fill a run any more: one run too long says the same.
    if (this.#zeros > 0) this.#bits.text("0");
    return this.#bits.bytes();
  }

  #flushRuns(): void {
    while (this.#zeros >= 1 << (this.#k >> 3)) {
      this.#bits.text("0");
      this.#zeros -= 1 << (this.#k >> 3);
      this.#k = Math.min(80, this.#k + 4);
    }
  }
}
