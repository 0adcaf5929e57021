import { type Framebuffer, MAX_AREA } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { badData, tooLarge } from "./bad-data.ts";
import { type NewTile, type Quantisations, readProgressive, type TileUpgrade } from "./progressive-blocks.ts";
import { upgradeComponent } from "./progressive-upgrade.ts";
import { dequantise, type Quantisation } from "./quantisation.ts";
import { decodeRlgr } from "./rlgr.ts";
import { TilePainter } from "./tile-painter.ts";
import { PLAIN_WAVELET, REDUCED_WAVELET, TILE_COEFFICIENTS, TILE_SIDE, type Wavelet } from "./wavelet.ts";

const COMPONENTS = 3;

/** Tiles remembered for all surfaces together: as many as the largest desktop has. */
const MOST_TILES = Math.ceil(MAX_AREA / TILE_COEFFICIENTS);

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

/**
 * RemoteFX progressive, MS-RDPEGFX 2.2.4.2 and 3.2.8.1: tiles that come whole (simple), or coarse first and then refined,
 * and that may be differences to the tile before. What later passes and differences need is kept for each surface and
 * codec context.
 */
export class Progressive {
  readonly #painter: TilePainter;
  readonly #contexts = new Map<number, Map<number, Context>>();
  #tileCount = 0;

  /** `spend` is told the work of each tile, in pixels, before it is done, and may throw. */
  constructor(spend: (pixels: number) => void) {
    this.#painter = new TilePainter(spend);
  }

  /** Paints a message on the surface `id`, whose pixels are `to`; returns where. Throws RdpError. */
  decode(bytes: Uint8Array, to: Framebuffer, id: number, contextId: number): Rect[] {
    const message = readProgressive(bytes);
    const context = this.#context(id, contextId);
    if (message.hasSubbandDiffing !== null) context.hasSubbandDiffing = message.hasSubbandDiffing;
    for (const tile of message.tiles) {
      const x = tile.column * TILE_SIDE;
      const y = tile.row * TILE_SIDE;
      if (x >= to.width || y >= to.height) {
        throw badData(`a progressive tile at ${x},${y}, expected within ${to.width}x${to.height}`);
      }
      if (tile.kind === "new") this.#renew(tile, context);
      else this.#upgrade(tile, context);
      this.#painter.paint(to, x, y, message.rects);
    }
    return this.#painter.takePainted();
  }

  /** Forgets a codec context (RDPGFX_DELETE_ENCODING_CONTEXT), or all of a surface that is gone. */
  forget(id: number, contextId: number | null): void {
    const contexts = this.#contexts.get(id);
    if (contexts === undefined) return;
    for (const [key, { tiles }] of contexts) {
      if (contextId !== null && key !== contextId) continue;
      this.#tileCount -= tiles.size;
      contexts.delete(key);
    }
    if (contexts.size === 0) this.#contexts.delete(id);
  }

  #context(id: number, contextId: number): Context {
    const contexts = this.#contexts.get(id) ?? new Map<number, Context>();
    this.#contexts.set(id, contexts);
    let context = contexts.get(contextId);
    if (context === undefined) {
      if (contexts.size >= MOST_CONTEXTS) {
        throw tooLarge(`codec context ${MOST_CONTEXTS + 1} on a surface, expected at most ${MOST_CONTEXTS}`);
      }
      context = { hasSubbandDiffing: false, tiles: new Map() };
      contexts.set(contextId, context);
    }
    return context;
  }

  #renew(tile: NewTile, context: Context): void {
    const wavelet = waveletOf(tile.isReduced);
    const positions = bitPositions(tile.quantisations, tile.leftOut);
    const isKept = context.hasSubbandDiffing || tile.isDifference || tile.isUpgradable;
    const kept = isKept ? this.#keep(tile, context, positions) : null;
    if (kept === null) this.#drop(tile, context);
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
      if (this.#tileCount >= MOST_TILES) {
        throw tooLarge(`${MOST_TILES + 1} progressive tiles, expected at most ${MOST_TILES}`);
      }
      this.#tileCount++;
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

  #drop(tile: NewTile, context: Context): void {
    if (context.tiles.delete(keyOf(tile))) this.#tileCount--;
  }
}

/** Codec contexts on one surface; servers use one. */
const MOST_CONTEXTS = 16;

function waveletOf(isReduced: boolean): Wavelet {
  return isReduced ? REDUCED_WAVELET : PLAIN_WAVELET;
}

function bitPositions(quantisations: Quantisations, leftOut: Quantisations): Quantisation[] {
  return quantisations.map((values, i) => values.map((value, band) => value + (leftOut[i]?.[band] ?? 0)));
}

function keyOf(tile: NewTile | TileUpgrade): number {
  return tile.row * 0x10000 + tile.column;
}
