import type { Rect, Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";

/** What a caller asks for. Coordinates are desktop pixels; `color` is "#rrggbb". */
export interface OverlaySpec {
  /** A shape's kind, from SHAPES: box, label, arrow, text, icon. */
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color: string;
  /** 0 to 1. */
  readonly opacity: number;
  readonly label: string | null;
  /** Removes itself after so long; null stays. */
  readonly temporaryMs: number | null;
  readonly clickThrough: boolean;
  readonly monitorIndex: number;
}

/** An overlay on the screen, clamped to its monitor. */
export interface Overlay extends OverlaySpec {
  readonly id: string;
  /** The principal that drew it. */
  readonly ownerId: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export type SceneEvent =
  | { readonly type: "created"; readonly overlay: Overlay; readonly damage: Region }
  | { readonly type: "removed"; readonly overlay: Overlay; readonly damage: Region }
  | { readonly type: "cleared"; readonly overlays: readonly Overlay[]; readonly damage: Region };

export interface SceneTimer {
  after(delayMs: number, call: () => void): () => void;
  date(): Date;
}

/** The overlays of one desktop, in drawing order. */
export declare class Scene {
  constructor(timer: SceneTimer);
  /** Grows with every change. */
  readonly version: number;
  readonly overlays: readonly Overlay[];
  /** `bounds`: the monitor to clamp to. Throws CompositorError too_many beyond 500 overlays. */
  add(spec: OverlaySpec, ownerId: string, bounds: Rect): Overlay;
  remove(id: string): Overlay | null;
  /** Removes those of one owner, or all. */
  clear(ownerId: string | null): readonly Overlay[];
  /** Clamps all again after the desktop's size changed; what no longer fits anywhere is removed. */
  resize(size: Size): void;
  on(listener: (event: SceneEvent) => void): () => void;
  close(): void;
}
