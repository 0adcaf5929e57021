import type { Annotation } from "./annotate.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";
import { blankRaster, keepRaster, knownRaster, type Raster, rasterOf } from "./raster.ts";

/** Paints elsewhere than on the event loop, for several owners in turns. */
export interface Painter {
  /** The pixels of one overlay. */
  raster(placed: PlacedOverlay): Promise<Raster>;
  /** A picture file with marks on it, as PNG. Rejects with the signal's reason, or RangeError when too many wait. */
  annotate(
    ownerId: string,
    file: Uint8Array,
    annotations: readonly Annotation[],
    signal: AbortSignal,
  ): Promise<Uint8Array>;
}

/** The rasters of one scene: painted once for each placed overlay, when a picture first needs it. */
export class Rasters {
  readonly #painter: Painter | null;
  readonly #onPainted: (placed: PlacedOverlay) => void;
  readonly #underWay = new WeakMap<PlacedOverlay, Promise<void>>();

  constructor(painter: Painter | null, onPainted: (placed: PlacedOverlay) => void) {
    this.#painter = painter;
    this.#onPainted = onPainted;
  }

  /** null while it is painted aside. */
  of(placed: PlacedOverlay): Raster | null {
    const painter = this.#painter;
    if (painter === null) return rasterOf(placed);
    const known = knownRaster(placed);
    if (known === null) void this.#begin(placed, painter);
    return known;
  }

  async whenPainted(all: readonly PlacedOverlay[]): Promise<void> {
    const painter = this.#painter;
    if (painter === null) return;
    const missing = all.filter((placed) => knownRaster(placed) === null);
    await Promise.all(missing.map((placed) => this.#begin(placed, painter)));
  }

  #begin(placed: PlacedOverlay, painter: Painter): Promise<void> {
    const running = this.#underWay.get(placed);
    if (running !== undefined) return running;
    const done = painter.raster(placed).then(
      (raster) => this.#painted(placed, raster),
      // Where painting fails it stays invisible in pictures: trying again would fail again.
      () => this.#painted(placed, blankRaster(placed.bounds)),
    );
    this.#underWay.set(placed, done);
    return done;
  }

  #painted(placed: PlacedOverlay, raster: Raster): void {
    keepRaster(placed, raster);
    this.#onPainted(placed);
  }
}
