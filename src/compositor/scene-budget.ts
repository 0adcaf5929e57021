import { areaOfRect, type Size } from "../framebuffer/rect.ts";
import { CompositorError } from "./error.ts";
import type { OverlaySpec } from "./overlay.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";

/** Overlays one desktop may show at a time. */
export const OVERLAY_LIMIT = 500;
/** Of these, overlays of one owner: enough to label a dense page, and four others have room too. */
export const OWNER_OVERLAY_LIMIT = 100;

/** Points that all freehand lines of one desktop may have together: each is painted, kept and sent to every page. */
const SCENE_POINT_LIMIT = 20_000;
/** Of these, points of one owner: about half a second of painting aside. */
export const OWNER_POINT_LIMIT = 5_000;

/**
 * Pixels that one owner's overlays may reach over together: blending them over a picture takes up to a millisecond a
 * million, and keeping them 4 MB. A large desktop may be covered twice.
 */
const OWNER_PIXELS = 8 * 1024 * 1024;
const OWNER_COVERS = 2;
/** All owners together have so many times that. */
const OWNERS = 2;

const FREE_OWN = "remove some of yours (remove_overlay) or clear them (clear_overlays) first";
const FREE_OTHERS = "others drew them: ask a human to clear some, or draw less";

/** Throws CompositorError too_many where one more would be too many overlays, or freehand points. */
export function checkCounts(shown: readonly PlacedOverlay[], added: OverlaySpec, ownerId: string): void {
  const own = shown.filter(({ overlay }) => overlay.ownerId === ownerId);
  if (own.length >= OWNER_OVERLAY_LIMIT) {
    throw tooMany(`you have ${own.length} overlays here, the most allowed`, FREE_OWN);
  }
  if (shown.length >= OVERLAY_LIMIT) {
    throw tooMany(
      `the desktop has ${OVERLAY_LIMIT} overlays, the most allowed`,
      own.length > 0 ? FREE_OWN : FREE_OTHERS,
    );
  }
  const points = added.points?.length ?? 0;
  if (points === 0) return;
  const ownPoints = points + pointsOf(own);
  if (ownPoints > OWNER_POINT_LIMIT) {
    throw tooMany(
      `your freehand lines would have ${ownPoints} points, expected at most ${OWNER_POINT_LIMIT}`,
      own.length > 0 ? FREE_OWN : "use fewer points",
    );
  }
  const allPoints = points + pointsOf(shown);
  if (allPoints > SCENE_POINT_LIMIT) {
    throw tooMany(
      `the desktop's freehand lines would have ${allPoints} points, expected at most ${SCENE_POINT_LIMIT}`,
      own.length > 0 ? FREE_OWN : FREE_OTHERS,
    );
  }
}

/** Throws CompositorError too_many where the overlays would reach over too many pixels. `desktop`: its size. */
export function checkPixels(
  shown: readonly PlacedOverlay[],
  added: PlacedOverlay,
  { width, height }: Size,
): void {
  const own = shown.filter(({ overlay }) => overlay.ownerId === added.overlay.ownerId);
  const most = Math.max(OWNER_PIXELS, OWNER_COVERS * width * height);
  const area = areaOfRect(added.bounds);
  const ownPixels = area + pixelsOf(own);
  if (ownPixels > most) {
    throw tooMany(
      `your overlays would reach over ${ownPixels} pixels together, expected at most ${most}`,
      own.length > 0 ? FREE_OWN : "draw a smaller one",
    );
  }
  const allPixels = area + pixelsOf(shown);
  if (allPixels > OWNERS * most) {
    throw tooMany(
      `the desktop's overlays would reach over ${allPixels} pixels together, expected at most ${OWNERS * most}`,
      own.length > 0 ? FREE_OWN : FREE_OTHERS,
    );
  }
}

function tooMany(what: string, next: string): CompositorError {
  return new CompositorError("too_many", `${what}: ${next}`);
}

function pointsOf(shown: readonly PlacedOverlay[]): number {
  return shown.reduce((sum, { overlay }) => sum + (overlay.points?.length ?? 0), 0);
}

function pixelsOf(shown: readonly PlacedOverlay[]): number {
  return shown.reduce((sum, { bounds }) => sum + areaOfRect(bounds), 0);
}
