import type { Size } from "../../../framebuffer/rect.ts";
import { type Crop, clampCrop } from "./crop.ts";

/** How the desktop fills the window: all of it, or so many CSS pixels a desktop pixel, with scrolling. */
export type Zoom = "fit" | number;

/** The zooms that are offered; by hand any between the first and the last. */
export const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const satisfies readonly number[];

/** The nearest zoom that is allowed. */
export function clampZoom(zoom: number): number {
  return Math.min(ZOOMS[ZOOMS.length - 1] ?? 1, Math.max(ZOOMS[0], zoom));
}

/** Of what a browser kept. */
export function isZoom(kept: unknown): kept is Zoom {
  return kept === "fit" || (typeof kept === "number" && clampZoom(kept) === kept);
}

/** A box in CSS pixels, relative to its parent. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Where things lie: the stage holds the frame (which clips or scrolls), the frame holds the surface (the whole
 * desktop, scaled), and the surface holds noVNC and the overlays. Overlays so follow every crop and scroll by
 * themselves.
 */
export interface StagePlan {
  readonly frame: Box;
  readonly surface: Box;
  /** CSS pixels a desktop pixel. */
  readonly scale: number;
  readonly isScrolling: boolean;
  /** True where a desktop pixel covers whole device pixels: then it is drawn without smoothing. */
  readonly isSharp: boolean;
}

export interface StageRequest {
  readonly desktop: Size;
  readonly stage: Size;
  readonly zoom: Zoom;
  readonly crop: Crop | null;
  readonly devicePixelRatio: number;
}

/** A fit this close to a whole zoom step takes the step: exact pixels are worth a thin border. */
const SNAP = 0.03;

function fitScale(inner: Size, outer: Size, devicePixelRatio: number): number {
  const exact = Math.min(outer.width / inner.width, outer.height / inner.height) * devicePixelRatio;
  const whole = Math.floor(exact);
  const isNear = whole >= 1 && (exact - whole) / whole <= SNAP;
  return (isNear ? whole : exact) / devicePixelRatio;
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}

/** Lays out one window; null while the desktop or the stage has no size yet. */
export function planStage(request: StageRequest): StagePlan | null {
  const { desktop, stage, devicePixelRatio } = request;
  if (desktop.width <= 0 || desktop.height <= 0 || stage.width <= 0 || stage.height <= 0) return null;
  const crop = request.crop && clampCrop(request.crop, desktop);
  const shown = crop ?? { x: 0, y: 0, width: desktop.width, height: desktop.height, scale: null };
  const scale =
    shown.scale ?? (request.zoom === "fit" || crop ? fitScale(shown, stage, devicePixelRatio) : request.zoom);
  const width = shown.width * scale;
  const height = shown.height * scale;
  // Half a pixel of overflow is rounding, not something to scroll to.
  const isScrolling = !crop && (width > stage.width + 0.5 || height > stage.height + 0.5);
  const frameWidth = isScrolling ? stage.width : Math.min(width, stage.width);
  const frameHeight = isScrolling ? stage.height : Math.min(height, stage.height);
  return {
    frame: {
      left: Math.floor((stage.width - frameWidth) / 2),
      top: Math.floor((stage.height - frameHeight) / 2),
      width: frameWidth,
      height: frameHeight,
    },
    surface: {
      left: isScrolling ? Math.max(0, Math.floor((stage.width - width) / 2)) : -shown.x * scale,
      top: isScrolling ? Math.max(0, Math.floor((stage.height - height) / 2)) : -shown.y * scale,
      width: desktop.width * scale,
      height: desktop.height * scale,
    },
    scale,
    isScrolling,
    isSharp: isWhole(scale * devicePixelRatio),
  };
}

/** Puts an element where its box lies. */
export function placeAt({ style }: { readonly style: Record<keyof Box, string> }, box: Box): void {
  style.left = `${box.left}px`;
  style.top = `${box.top}px`;
  style.width = `${box.width}px`;
  style.height = `${box.height}px`;
}
