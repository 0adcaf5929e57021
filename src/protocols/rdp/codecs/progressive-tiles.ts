import type { Size } from "../../../framebuffer/rect.ts";
import { tooLarge } from "./bad-data.ts";
import type { Quantisation } from "./quantisation.ts";
import { TILE_COEFFICIENTS, TILE_SIDE } from "./wavelet.ts";

const COMPONENTS = 3;

/** Codec contexts of a connection; servers use one for each surface, and one surface for each screen. */
const MOST_CONTEXTS = 64;

/** Tiles beyond those of the screen: each monitor's surface ends in tiles that are not whole. */
const SPARE_TILES = 128;

/** What is kept of a tile between frames: 36 KiB. */
export interface KeptTile {
  /** As they were before the wavelet was undone. */
  readonly coefficients: readonly Int16Array[];
  /** -1, 0 or 1 for each coefficient; undefined content for a tile that no pass refines. */
  readonly signs: readonly Int8Array[];
  /** More passes may follow. */
  isUpgradable: boolean;
  /** Of the last pass. */
  bitPositions: readonly Quantisation[];
  isReduced: boolean;
}

/** One codec context on one surface. */
export interface CodecContext {
  readonly surface: number;
  readonly id: number;
  hasSubbandDiffing: boolean;
  readonly tiles: Map<number, KeptTile>;
}

/**
 * The codec contexts of one connection, and the tiles that they keep.
 *
 * INVARIANT: there is memory for no more tiles than the screen has, and some: where a host begins another context and
 * does not delete the one before, the tiles of those that were used longest ago are taken for the new one's.
 */
export class ProgressiveTiles {
  /** The one used last at the end. */
  readonly #contexts = new Map<string, CodecContext>();
  readonly #screen: Size;
  /** Memory that no context has. */
  readonly #free: KeptTile[] = [];
  #allocated = 0;

  /** `screen`: the desktop as large as it is at any time. */
  constructor(screen: Size) {
    this.#screen = screen;
  }

  /** The context of a number on a surface, new where there is none. Throws RdpError `too_large`. */
  contextAt(surface: number, id: number): CodecContext {
    const key = `${surface}/${id}`;
    const context = this.#contexts.get(key) ?? {
      surface,
      id,
      hasSubbandDiffing: false,
      tiles: new Map<number, KeptTile>(),
    };
    this.#contexts.delete(key);
    if (this.#contexts.size >= MOST_CONTEXTS) {
      throw tooLarge(`codec context ${MOST_CONTEXTS + 1}, expected at most ${MOST_CONTEXTS}`);
    }
    this.#contexts.set(key, context);
    return context;
  }

  /** Forgets a codec context, or with null all of a surface. */
  forget(surface: number, id: number | null): void {
    for (const [key, context] of this.#contexts) {
      if (context.surface !== surface || (id !== null && context.id !== id)) continue;
      this.#free.push(...context.tiles.values());
      this.#contexts.delete(key);
    }
  }

  /** The tile that a context keeps by this key; where it keeps none, one whose content is not defined. */
  keep({ tiles }: CodecContext, key: number): KeptTile {
    let kept = tiles.get(key);
    if (kept === undefined) {
      kept = this.#take();
      tiles.set(key, kept);
    }
    return kept;
  }

  drop({ tiles }: CodecContext, key: number): void {
    const kept = tiles.get(key);
    if (kept === undefined) return;
    tiles.delete(key);
    this.#free.push(kept);
  }

  #take(): KeptTile {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#allocated < tilesOf(this.#screen) + SPARE_TILES) {
      this.#allocated++;
      return newTile();
    }
    return this.#takeOldest();
  }

  /** Of the context that was used longest ago. All that is allocated is in one of them where nothing is free. */
  #takeOldest(): KeptTile {
    for (const { tiles } of this.#contexts.values()) {
      for (const [key, tile] of tiles) {
        tiles.delete(key);
        return tile;
      }
    }
    return newTile();
  }
}

function newTile(): KeptTile {
  return {
    coefficients: Array.from({ length: COMPONENTS }, () => new Int16Array(TILE_COEFFICIENTS)),
    signs: Array.from({ length: COMPONENTS }, () => new Int8Array(TILE_COEFFICIENTS)),
    isUpgradable: false,
    bitPositions: [],
    isReduced: false,
  };
}

function tilesOf({ width, height }: Size): number {
  return Math.ceil(width / TILE_SIDE) * Math.ceil(height / TILE_SIDE);
}
