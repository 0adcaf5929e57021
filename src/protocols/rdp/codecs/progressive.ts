import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../../../framebuffer/rect.ts";
import { badData, tooLarge } from "./bad-data.ts";
import { type NewTile, type Quantisations, readProgressive, type TileUpgrade } from "./progressive-blocks.ts";
import { upgradeComponent } from "./progressive-upgrade.ts";
import { dequantise, type Quantisation } from "./quantisation.ts";
import { decodeRlgr } from "./rlgr.ts";
import { TilePainter } from "./tile-painter.ts";
import { PLAIN_WAVELET, REDUCED_WAVELET, TILE_COEFFICIENTS, TILE_SIDE, type Wavelet } from "./wavelet.ts";

const COMPONENTS = 3;

/** Codec contexts on one surface; servers use one. */
const MOST_CONTEXTS = 16;

/** What is kept of a tile between frames. */
interface KeptTile {
  /** As they were before the wavelet was undone. */
  readonly coefficients: readonly Int16Array[];
  /** -1, 0 or 1 for each coefficient; null for a tile that no pass refines. */
  signs: readonly Int8Array[] | null;
  /** Of the last pass. */
  bitPositions: readonly Quantisation[];
  isReduced: boolean;
}

/** One codec context on one surface. */
interface Context {
  hasSubbandDiffing: boolean;
  readonly tiles: Map<number, KeptTile>;
}

/** The codec contexts of one surface by number, the one used last at the end. */
type Contexts = Map<number, Context>;

/**
 * RemoteFX progressive, MS-RDPEGFX 2.2.4.2 and 3.2.8.1: tiles that come whole (simple), or coarse first and then refined,
 * and that may be differences to the tile before. What later passes and differences need is kept for each surface and
 * codec context.
 *
 * INVARIANT: of a surface no more tiles are kept than it has, 36 KiB each: where a host begins another context on it and
 * does not delete the one before, that one's are forgotten as the new one's come.
 */
export class Progressive {
  readonly #painter: TilePainter;
  readonly #surfaces = new Map<number, Contexts>();

  /** `spend` is told the work of each tile, in pixels, before it is done, and may throw. */
  constructor(spend: (pixels: number) => void) {
    this.#painter = new TilePainter(spend);
  }

  /** Paints a message on the surface `id`, whose pixels are `to`; returns where. Throws RdpError. */
  decode(bytes: Uint8Array, to: Framebuffer, id: number, contextId: number): Rect[] {
    const message = readProgressive(bytes);
    const contexts = this.#surfaces.get(id) ?? new Map<number, Context>();
    this.#surfaces.set(id, contexts);
    const context = contextAt(contexts, contextId);
    const mostTiles = tilesOf(to);
    if (message.hasSubbandDiffing !== null) context.hasSubbandDiffing = message.hasSubbandDiffing;
    for (const tile of message.tiles) {
      const x = tile.column * TILE_SIDE;
      const y = tile.row * TILE_SIDE;
      if (x >= to.width || y >= to.height) {
        throw badData(`a progressive tile at ${x},${y}, expected within ${to.width}x${to.height}`);
      }
      if (tile.kind === "new") {
        this.#renew(tile, context);
        forgetBeyond(mostTiles, contexts);
      } else this.#upgrade(tile, context);
      this.#painter.paint(to, x, y, message.rects);
    }
    return this.#painter.takePainted();
  }

  /** Forgets a codec context (RDPGFX_DELETE_ENCODING_CONTEXT), or all of a surface that is gone. */
  forget(id: number, contextId: number | null): void {
    const contexts = this.#surfaces.get(id);
    if (contexts === undefined) return;
    if (contextId !== null) contexts.delete(contextId);
    if (contextId === null || contexts.size === 0) this.#surfaces.delete(id);
  }

  #renew(tile: NewTile, context: Context): void {
    const wavelet = waveletOf(tile.isReduced);
    const positions = bitPositions(tile.quantisations, tile.leftOut);
    const isKept = context.hasSubbandDiffing || tile.isDifference || tile.isUpgradable;
    const kept = isKept ? this.#keep(tile, context, positions) : null;
    if (kept === null) context.tiles.delete(keyOf(tile));
    for (const [i, values] of this.#components().entries()) {
      decodeRlgr(1, tile.data[i]!, values);
      const signs = kept?.signs?.[i];
      if (signs !== undefined) for (let k = 0; k < TILE_COEFFICIENTS; k++) signs[k] = Math.sign(values[k]!);
      dequantise(values, wavelet, positions[i]!);
      const coefficients = kept?.coefficients[i];
      if (coefficients !== undefined) {
        if (tile.isDifference) {
          for (let k = 0; k < TILE_COEFFICIENTS; k++) coefficients[k]! += values[k]!;
          values.set(coefficients);
        } else coefficients.set(values);
      }
      wavelet.inverse(values);
    }
  }

  #upgrade(tile: TileUpgrade, context: Context): void {
    const kept = context.tiles.get(keyOf(tile));
    if (kept === undefined || kept.signs === null) {
      throw badData(`a refinement of tile ${tile.column},${tile.row}, expected its first pass before`);
    }
    if (kept.isReduced !== tile.isReduced)
      throw badData("a refinement by another wavelet, expected the same");
    const wavelet = waveletOf(tile.isReduced);
    const positions = bitPositions(tile.quantisations, tile.leftOut);
    for (const [i, values] of this.#components().entries()) {
      const coefficients = kept.coefficients[i]!;
      const before = kept.bitPositions[i]!;
      upgradeComponent(coefficients, kept.signs[i]!, wavelet, before, positions[i]!, tile.data[i]!);
      values.set(coefficients);
      wavelet.inverse(values);
    }
    kept.bitPositions = positions;
  }

  #components(): readonly [Int16Array, Int16Array, Int16Array] {
    const { y, cb, cr } = this.#painter.begin();
    return [y, cb, cr];
  }

  #keep(tile: NewTile, context: Context, positions: readonly Quantisation[]): KeptTile {
    let kept = context.tiles.get(keyOf(tile));
    if (kept === undefined) {
      kept = {
        coefficients: Array.from({ length: COMPONENTS }, () => new Int16Array(TILE_COEFFICIENTS)),
        signs: null,
        bitPositions: positions,
        isReduced: tile.isReduced,
      };
      context.tiles.set(keyOf(tile), kept);
    }
    if (!tile.isUpgradable) kept.signs = null;
    else kept.signs ??= Array.from({ length: COMPONENTS }, () => new Int8Array(TILE_COEFFICIENTS));
    kept.bitPositions = positions;
    kept.isReduced = tile.isReduced;
    return kept;
  }
}

/** The context of a number, new where there is none, at the end of them all. */
function contextAt(contexts: Contexts, id: number): Context {
  const context = contexts.get(id) ?? { hasSubbandDiffing: false, tiles: new Map<number, KeptTile>() };
  contexts.delete(id);
  if (contexts.size >= MOST_CONTEXTS) {
    throw tooLarge(`codec context ${MOST_CONTEXTS + 1} on a surface, expected at most ${MOST_CONTEXTS}`);
  }
  contexts.set(id, context);
  return context;
}

function tilesOf({ width, height }: Size): number {
  return Math.ceil(width / TILE_SIDE) * Math.ceil(height / TILE_SIDE);
}

/** Forgets tiles until so many are left, first those of the contexts that were used longest ago. */
function forgetBeyond(mostTiles: number, contexts: Contexts): void {
  let count = 0;
  for (const { tiles } of contexts.values()) count += tiles.size;
  for (const { tiles } of contexts.values()) {
    for (const key of tiles.keys()) {
      if (count <= mostTiles) return;
      tiles.delete(key);
      count--;
    }
  }
}

function waveletOf(isReduced: boolean): Wavelet {
  return isReduced ? REDUCED_WAVELET : PLAIN_WAVELET;
}

function bitPositions(quantisations: Quantisations, leftOut: Quantisations): Quantisation[] {
  return quantisations.map((values, i) => values.map((value, band) => value + (leftOut[i]?.[band] ?? 0)));
}

function keyOf(tile: NewTile | TileUpgrade): number {
  return tile.row * 0x10000 + tile.column;
}
