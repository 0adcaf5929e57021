import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../../../framebuffer/rect.ts";
import { badData } from "./bad-data.ts";
import { type NewTile, type Quantisations, readProgressive, type TileUpgrade } from "./progressive-blocks.ts";
import { type CodecContext, type KeptTile, ProgressiveTiles } from "./progressive-tiles.ts";
import { upgradeComponent } from "./progressive-upgrade.ts";
import { dequantise, type Quantisation } from "./quantisation.ts";
import { decodeRlgr } from "./rlgr.ts";
import { TilePainter } from "./tile-painter.ts";
import { PLAIN_WAVELET, REDUCED_WAVELET, TILE_COEFFICIENTS, TILE_SIDE, type Wavelet } from "./wavelet.ts";

/**
 * RemoteFX progressive, MS-RDPEGFX 2.2.4.2 and 3.2.8.1: tiles that come whole (simple), or coarse first and then refined,
 * and that may be differences to the tile before. What later passes and differences need is kept for each surface and
 * codec context.
 */
export class Progressive {
  readonly #painter: TilePainter;
  readonly #kept: ProgressiveTiles;

  /**
   * `screen` is the desktop as large as it is at any time; `spend` is told the work of each tile, in pixels, before it is
   * done, and may throw.
   */
  constructor(screen: Size, spend: (pixels: number) => void) {
    this.#kept = new ProgressiveTiles(screen);
    this.#painter = new TilePainter(spend);
  }

  /** Paints a message on the surface `id`, whose pixels are `to`; returns where. Throws RdpError. */
  decode(bytes: Uint8Array, to: Framebuffer, id: number, contextId: number): Rect[] {
    const message = readProgressive(bytes);
    const context = this.#kept.contextAt(id, contextId);
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
    this.#kept.forget(id, contextId);
  }

  #renew(tile: NewTile, context: CodecContext): void {
    const wavelet = waveletOf(tile.isReduced);
    const positions = bitPositions(tile.quantisations, tile.leftOut);
    const isKept = context.hasSubbandDiffing || tile.isDifference || tile.isUpgradable;
    const kept = isKept ? this.#keep(tile, context, positions) : null;
    if (kept === null) this.#kept.drop(context, keyOf(tile));
    for (const [i, values] of this.#components().entries()) {
      decodeRlgr(1, tile.data[i]!, values);
      if (kept?.isUpgradable) {
        const signs = kept.signs[i]!;
        for (let k = 0; k < TILE_COEFFICIENTS; k++) signs[k] = Math.sign(values[k]!);
      }
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

  #upgrade(tile: TileUpgrade, context: CodecContext): void {
    const kept = context.tiles.get(keyOf(tile));
    if (!kept?.isUpgradable) {
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

  #keep(tile: NewTile, context: CodecContext, positions: readonly Quantisation[]): KeptTile {
    const isNew = !context.tiles.has(keyOf(tile));
    const kept = this.#kept.keep(context, keyOf(tile));
    if (isNew && tile.isDifference) for (const values of kept.coefficients) values.fill(0);
    kept.isUpgradable = tile.isUpgradable;
    kept.bitPositions = positions;
    kept.isReduced = tile.isReduced;
    return kept;
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
