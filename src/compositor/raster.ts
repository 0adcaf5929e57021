import { createCanvas } from "@napi-rs/canvas";
import type { Rect } from "../framebuffer/rect.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";

/**
 * An overlay as pixels, straight alpha, packed in runs: a full-screen box takes kilobytes instead of megabytes, and
 * blending skips what is transparent without looking at it.
 *
 * `runs` holds rows of runs; `rows[y]` is where row y begins (equal rows share one). A run is a header word,
 * length << 1 | isLiteral, then one 0xAABBGGRR word for all its pixels or, literal, one for each.
 */
export interface Raster {
  readonly bounds: Rect;
  readonly rows: Uint32Array;
  readonly runs: Uint32Array;
}

/**
 * Pixels painted at a time, whatever an overlay's size: a canvas of 512 KiB. Reading back from one of 1 MiB or more
 * costs up to twenty times as much a pixel (@napi-rs/canvas 1.0.11, Node 20, November 2026).
 */
const STRIP_PIXELS = 128 * 1024;

/** Shorter stretches of one colour are cheaper as part of a literal run. */
const SHORTEST_FILL = 4;

const rasters = new WeakMap<PlacedOverlay, Raster>();

/** The raster of a placed overlay, painted when first asked for and kept as long as the overlay stays so. */
export function rasterOf(placed: PlacedOverlay): Raster {
  const known = knownRaster(placed);
  if (known !== null) return known;
  const raster = paintRaster(placed);
  keepRaster(placed, raster);
  return raster;
}

/** null while it was not painted. */
export function knownRaster(placed: PlacedOverlay): Raster | null {
  return rasters.get(placed) ?? null;
}

/** Its raster was painted elsewhere. */
export function keepRaster(placed: PlacedOverlay, raster: Raster): void {
  rasters.set(placed, raster);
}

/** Shows nothing. */
export function blankRaster(bounds: Rect): Raster {
  return { bounds, rows: new Uint32Array(bounds.height), runs: Uint32Array.of(bounds.width << 1, 0) };
}

/** Paints it now: up to a quarter of a second for a long freehand line, so not on the event loop of a server. */
export function paintRaster({ overlay, shape, room, bounds }: PlacedOverlay): Raster {
  const { width, height } = bounds;
  const packer = new RowPacker(width, height);
  const stripRows = Math.min(height, Math.max(1, Math.floor(STRIP_PIXELS / width)));
  const canvas = createCanvas(width, stripRows);
  const context = canvas.getContext("2d");
  for (let top = 0; top < height; top += stripRows) {
    const rows = Math.min(stripRows, height - top);
    context.clearRect(0, 0, width, stripRows);
    context.save();
    context.translate(-bounds.x, -bounds.y - top);
    shape.paint(context, overlay, room);
    context.restore();
    const { data } = context.getImageData(0, 0, width, rows);
    const words = new Uint32Array(data.buffer, data.byteOffset, width * rows);
    for (let row = 0; row < rows; row++) packer.add(words.subarray(row * width, (row + 1) * width));
  }
  return { bounds, ...packer.finish() };
}

/** Packs rows into runs, one after the other. */
class RowPacker {
  readonly #rows: Uint32Array;
  #runs = new Uint32Array(1024);
  #used = 0;
  #count = 0;
  readonly #previous: Uint32Array;

  constructor(width: number, height: number) {
    this.#rows = new Uint32Array(height);
    this.#previous = new Uint32Array(width);
  }

  add(row: Uint32Array): void {
    const y = this.#count++;
    if (y > 0 && sameWords(row, this.#previous)) {
      this.#rows[y] = this.#rows[y - 1] ?? 0;
      return;
    }
    this.#previous.set(row);
    this.#rows[y] = this.#used;
    // A row of n pixels never takes more than 2n words.
    this.#reserve(2 * row.length);
    this.#pack(row);
  }

  finish(): { readonly rows: Uint32Array; readonly runs: Uint32Array } {
    return { rows: this.#rows, runs: this.#runs.slice(0, this.#used) };
  }

  #pack(row: Uint32Array): void {
    let literalFrom = 0;
    let at = 0;
    while (at < row.length) {
      const word = row[at] ?? 0;
      let end = at + 1;
      while (end < row.length && row[end] === word) end++;
      if (end - at >= SHORTEST_FILL) {
        this.#literal(row.subarray(literalFrom, at));
        this.#runs[this.#used++] = (end - at) << 1;
        this.#runs[this.#used++] = word;
        literalFrom = end;
      }
      at = end;
    }
    this.#literal(row.subarray(literalFrom));
  }

  #literal(words: Uint32Array): void {
    if (words.length === 0) return;
    this.#runs[this.#used++] = (words.length << 1) | 1;
    this.#runs.set(words, this.#used);
    this.#used += words.length;
  }

  #reserve(words: number): void {
    if (this.#used + words <= this.#runs.length) return;
    const larger = new Uint32Array(Math.max(this.#used + words, 2 * this.#runs.length));
    larger.set(this.#runs.subarray(0, this.#used));
    this.#runs = larger;
  }
}

function sameWords(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
