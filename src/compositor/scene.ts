import { randomUUID } from "node:crypto";
import { intersectRects, isEmptyRect, type Rect, rectOfSize, type Size } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import { blurOf, spreadIn } from "./blur.ts";
import { parseColour } from "./colour.ts";
import { CompositorError, quoted } from "./error.ts";
import type { Overlay, OverlaySpec } from "./overlay.ts";
import { type Painter, Rasters } from "./painter.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";
import type { Raster } from "./raster.ts";
import { checkCounts, checkPixels } from "./scene-budget.ts";
import type { Shape } from "./shape.ts";
import { SHAPES, shapeOf } from "./shapes/list.ts";

export type { Overlay, OverlaySpec } from "./overlay.ts";
export type { PlacedOverlay } from "./placed-overlay.ts";

/** The longest a Node timer can wait; a temporary overlay that asks for more lives so long. */
const LONGEST_MS = 2 ** 31 - 1;

const NO_SIZE: Size = { width: 0, height: 0 };

/** Who takes an overlay away; Actor of the heart is one. */
export interface Remover {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly ip?: string;
}

/**
 * `isMove`: it is still the overlay that it was, elsewhere, cut, hidden or shown again. `by`: null where nobody asked:
 * its time was over, or it fits nowhere any more.
 */
export type SceneEvent =
  | {
      readonly type: "created";
      readonly overlay: Overlay;
      readonly damage: Region;
      readonly isMove: boolean;
    }
  | {
      readonly type: "removed";
      readonly overlay: Overlay;
      readonly damage: Region;
      readonly isMove: boolean;
      readonly by: Remover | null;
    }
  | {
      readonly type: "cleared";
      readonly overlays: readonly Overlay[];
      readonly damage: Region;
      readonly by: Remover | null;
    }
  /** The desktop was stopped, or goes on: they are kept meanwhile, and not shown. */
  | { readonly type: "suspended" | "resumed"; readonly overlays: readonly Overlay[]; readonly damage: Region }
  /** Its pixels are there from now on: pictures show what pages do already. */
  | { readonly type: "painted"; readonly overlay: Overlay; readonly damage: Region };

export interface SceneTimer {
  after(delayMs: number, call: () => void): () => void;
  date(): Date;
}

interface Entry {
  readonly spec: OverlaySpec;
  readonly monitor: Rect;
  readonly placed: PlacedOverlay;
  /** Not drawn until it is moved: what it belongs to is not on the screen. */
  readonly isHidden: boolean;
  cancelTimer(): void;
}

/** The overlays of one desktop, in drawing order. */
export class Scene {
  readonly #timer: SceneTimer;
  readonly #entries = new Map<string, Entry>();
  readonly #rasters: Rasters;
  readonly #listeners = new Set<(event: SceneEvent) => void>();
  #placed: readonly PlacedOverlay[] = [];
  #version = 0;
  #size: Size | null = null;
  #isSuspended = false;
  #isClosed = false;

  /** `painter`: paints aside; null, an overlay is painted when a picture first needs it. */
  constructor(timer: SceneTimer, painter: Painter | null = null) {
    this.#timer = timer;
    this.#rasters = new Rasters(painter, (placed) => {
      const { overlay, bounds } = placed;
      if (this.#placed.includes(placed))
        this.#changed({ type: "painted", overlay, damage: Region.of(bounds) });
    });
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** In drawing order; a new array after every change. */
  get overlays(): readonly Overlay[] {
    return this.#placed.map(({ overlay }) => overlay);
  }

  /** In drawing order, with their bounds; a new array after every change. */
  get placed(): readonly PlacedOverlay[] {
    return this.#placed;
  }

  /** The pixels of one that is placed; null while they are painted, which is told. */
  rasterOf(placed: PlacedOverlay): Raster | null {
    return this.#rasters.of(placed);
  }

  /** Resolves when all that is placed now can be seen in pictures. */
  async whenPainted(): Promise<void> {
    await this.#rasters.whenPainted(this.#placed);
  }

  /** All pixels that overlays may touch. */
  get coverage(): Region {
    return Region.from(this.#placed.map(({ bounds }) => bounds));
  }

  /** What looks otherwise where pixels below changed: blurs mix them with those around. */
  spread(damage: Region): Region {
    return this.#placed.reduce((all, placed) => {
      const blurred = blurOf(placed);
      return blurred === null ? all : spreadIn(blurred, all);
    }, damage);
  }

  /**
   * `bounds`: the monitor to clamp to. Throws CompositorError too_many beyond what scene-budget.ts allows, stopped while
   * suspended, unknown_kind, bad_colour or bad_overlay for what cannot be drawn.
   */
  add(spec: OverlaySpec, ownerId: string, bounds: Rect): Overlay {
    if (this.#isClosed)
      throw new CompositorError("closed", "the desktop is closed: nothing can be drawn on it");
    if (this.#isSuspended) {
      throw new CompositorError(
        "stopped",
        "the desktop was stopped, its overlays are hidden: nothing can be drawn until a human resumes it",
      );
    }
    const shape = findShape(spec.kind);
    const checked = checkSpec(spec, shape);
    if (isEmptyRect(bounds)) {
      throw new CompositorError("bad_overlay", "the monitor has no pixels yet: expected at least 1x1");
    }
    const shown = [...this.#entries.values()].map(({ placed }) => placed);
    checkCounts(shown, checked, ownerId);
    const overlay: Overlay = {
      ...checked,
      ...shape.clamp(checked, bounds),
      id: randomUUID(),
      ownerId,
      createdAt: this.#timer.date().toISOString(),
    };
    const placed = place(overlay, shape, bounds);
    checkPixels(shown, placed, this.#size ?? bounds);
    const cancelTimer =
      checked.temporaryMs === null
        ? () => {}
        : this.#timer.after(Math.min(checked.temporaryMs, LONGEST_MS), () => this.remove(overlay.id));
    this.#entries.set(overlay.id, { spec: checked, monitor: bounds, placed, isHidden: false, cancelTimer });
    this.#changed({ type: "created", overlay, damage: Region.of(placed.bounds), isMove: false });
    return overlay;
  }

  /** null where there is no such overlay (any more). */
  remove(id: string, by: Remover | null = null): Overlay | null {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    this.#drop(entry);
    const { overlay, bounds } = entry.placed;
    this.#changed({ type: "removed", overlay, damage: Region.of(bounds), isMove: false, by });
    return overlay;
  }

  /**
   * Moves what was asked for by so many pixels, and makes it larger by others, clamped again, and shows it where it was hidden. Told as removed and
   * created, with the same id. null where there is no such overlay (any more).
   */
  move(id: string, dx: number, dy: number, { width, height }: Size = NO_SIZE): Overlay | null {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    const { spec: old } = entry;
    const size = { width: Math.max(1, old.width + width), height: Math.max(1, old.height + height) };
    const spec = { ...old, x: old.x + dx, y: old.y + dy, ...(width === 0 && height === 0 ? {} : size) };
    if (entry.isHidden || dx !== 0 || dy !== 0 || width !== 0 || height !== 0)
      this.#replace({ ...entry, spec }, entry.placed.room);
    return this.#entries.get(id)?.placed.overlay ?? null;
  }

  /** Keeps an overlay but draws it no more until it is moved; told as removed. */
  hide(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.isHidden) return;
    this.#entries.set(id, { ...entry, isHidden: true });
    const { overlay, bounds } = entry.placed;
    this.#changed({ type: "removed", overlay, damage: Region.of(bounds), isMove: true, by: null });
  }

  /** Who drew an overlay, hidden or not; null where there is none. */
  ownerOf(id: string): string | null {
    return this.#entries.get(id)?.placed.overlay.ownerId ?? null;
  }

  /** Removes those of one owner, or all (null); returns what was removed. */
  clear(ownerId: string | null, by: Remover | null = null): readonly Overlay[] {
    const gone = [...this.#entries.values()].filter(
      ({ placed }) => ownerId === null || placed.overlay.ownerId === ownerId,
    );
    if (gone.length === 0) return [];
    for (const entry of gone) this.#drop(entry);
    const overlays = gone.map(({ placed }) => placed.overlay);
    this.#changed({
      type: "cleared",
      overlays,
      damage: Region.from(gone.map(({ placed }) => placed.bounds)),
      by,
    });
    return overlays;
  }

  /**
   * Clamps all again, from what was asked for, after the desktop's size changed; what no longer fits anywhere is
   * removed. One that moves or is cut is told as removed and created, with the same id.
   */
  resize(size: Size): void {
    const desktop = rectOfSize(size);
    this.#size = { width: size.width, height: size.height };
    for (const entry of [...this.#entries.values()]) {
      const id = entry.placed.overlay.id;
      // A listener may have removed it meanwhile.
      if (this.#entries.get(id) !== entry) continue;
      const room = intersectRects(entry.monitor, desktop);
      if (isEmptyRect(room) || isEmptyRect(intersectRects(extentOf(entry.placed.overlay), desktop)))
        this.remove(id);
      else if (entry.isHidden) this.#entries.set(id, { ...entry, placed: { ...entry.placed, room } });
      else this.#replace(entry, room);
    }
  }

  /** Shows nothing and takes nothing new until `resume`; what there is goes on living, and moving with its anchors. */
  suspend(): void {
    if (this.#isSuspended) return;
    const { overlays, coverage } = this;
    this.#isSuspended = true;
    this.#changed({ type: "suspended", overlays, damage: coverage });
  }

  resume(): void {
    if (!this.#isSuspended || this.#isClosed) return;
    this.#isSuspended = false;
    this.#place();
    const { overlays, coverage } = this;
    this.#changed({ type: "resumed", overlays, damage: coverage });
  }

  /** Called after each change; the returned function ends it. */
  on(listener: (event: SceneEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Cancels every timer and forgets all, without telling: the desktop is gone. */
  close(): void {
    this.#isClosed = true;
    for (const entry of [...this.#entries.values()]) this.#drop(entry);
    this.#placed = [];
    this.#version++;
    this.#listeners.clear();
  }

  #replace(entry: Entry, room: Rect): void {
    const { overlay: old, shape, bounds } = entry.placed;
    const overlay: Overlay = { ...old, ...shape.clamp(entry.spec, room) };
    const placed = place(overlay, shape, room);
    const wasHidden = entry.isHidden;
    this.#entries.set(overlay.id, { ...entry, placed, isHidden: false });
    if (!wasHidden) {
      if (JSON.stringify([old, bounds]) === JSON.stringify([overlay, placed.bounds])) return;
      const damage = Region.of(intersectRects(bounds, room));
      this.#changed({ type: "removed", overlay: old, damage, isMove: true, by: null });
    }
    this.#changed({ type: "created", overlay, damage: Region.of(placed.bounds), isMove: true });
  }

  #drop(entry: Entry): void {
    entry.cancelTimer();
    this.#entries.delete(entry.placed.overlay.id);
  }

  #changed(event: SceneEvent): void {
    this.#version++;
    this.#place();
    // What moves while nothing is shown is told with all the others, when they are.
    if (this.#isSuspended && event.type === "created") return;
    for (const listener of [...this.#listeners]) listener(event);
  }

  #place(): void {
    const shown = this.#isSuspended ? [] : [...this.#entries.values()].filter(({ isHidden }) => !isHidden);
    this.#placed = shown.map(({ placed }) => placed);
  }
}

function place(overlay: Overlay, shape: Shape, room: Rect): PlacedOverlay {
  return { overlay, shape, room, bounds: shape.bounds(overlay, room) };
}

/** The overlay's rectangle, at least 1x1, whichever way it points. */
function extentOf({ x, y, width, height }: Overlay): Rect {
  return {
    x: Math.min(x, x + width),
    y: Math.min(y, y + height),
    width: Math.max(1, Math.abs(width)),
    height: Math.max(1, Math.abs(height)),
  };
}

function findShape(kind: string): Shape {
  const shape = shapeOf(kind);
  if (shape !== undefined) return shape;
  const kinds = SHAPES.map((known) => known.kind).join(", ");
  throw new CompositorError(
    "unknown_kind",
    `overlay kind ${quoted(kind)} is not known: expected one of ${kinds}`,
  );
}

/** The spec in whole pixels and with a plain colour; throws CompositorError. */
function checkSpec(spec: OverlaySpec, shape: Shape): OverlaySpec {
  for (const field of ["x", "y", "width", "height"] as const) {
    if (!Number.isSafeInteger(Math.round(spec[field]))) {
      throw new CompositorError(
        "bad_overlay",
        `${field} is ${spec[field]}: expected a whole number of pixels`,
      );
    }
  }
  if (!(spec.opacity >= 0 && spec.opacity <= 1)) {
    throw new CompositorError("bad_overlay", `opacity is ${spec.opacity}: expected 0 to 1`);
  }
  if (spec.temporaryMs !== null && !(spec.temporaryMs > 0)) {
    throw new CompositorError(
      "bad_overlay",
      `temporaryMs is ${spec.temporaryMs}: expected more than 0, or null`,
    );
  }
  const parsed = shape.schema.safeParse(spec);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const expected = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`;
    throw new CompositorError("bad_overlay", `${shape.kind} cannot be drawn so, ${expected.toLowerCase()}`);
  }
  return {
    ...spec,
    x: Math.round(spec.x),
    y: Math.round(spec.y),
    width: Math.round(spec.width),
    height: Math.round(spec.height),
    color: parseColour(spec.color),
  };
}
