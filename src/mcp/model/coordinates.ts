import { RefusedError } from "../../desktop/error.ts";
import type { Point, Rect, Size } from "../../framebuffer/rect.ts";

/** What a caller's numbers mean: desktop pixels, pixels of an image, or thousandths of what the image shows. */
export const SPACES = ["native", "image", "normalized_1000"] as const;
export type Space = (typeof SPACES)[number];

/** How an image lies on a desktop. */
export interface Framing {
  /** Of the desktop when the image was made. */
  readonly desktop: Size;
  /** What it shows, desktop pixels. */
  readonly region: Rect;
  /** Of the image. */
  readonly image: Size;
}

/** The framing of a picture that is the rectangle itself, pixel for pixel. */
export function nativeFraming(desktop: Size, region: Rect): Framing {
  return { desktop, region, image: { width: region.width, height: region.height } };
}

/** The desktop pixel that a point means; throws RefusedError out_of_bounds where it lies outside what is shown. */
export function toNative(point: Point, space: Space, framing: Framing): Point {
  const { desktop, region, image } = framing;
  switch (space) {
    case "native":
      check(point, desktop.width, desktop.height, "the desktop");
      return {
        x: lastOf(desktop.width, Math.round(point.x)),
        y: lastOf(desktop.height, Math.round(point.y)),
      };
    case "image":
      check(point, image.width, image.height, "the image");
      // The middle of the image's pixel, so that a shrunk image errs by half a pixel of it at most.
      return {
        x: region.x + lastOf(region.width, Math.floor(((point.x + 0.5) * region.width) / image.width)),
        y: region.y + lastOf(region.height, Math.floor(((point.y + 0.5) * region.height) / image.height)),
      };
    case "normalized_1000":
      check(point, 1001, 1001, "the grid of thousandths");
      // Models count 0 to 999, some to 1000, which is the last pixel.
      return {
        x: region.x + lastOf(region.width, Math.floor((point.x * region.width) / 1000)),
        y: region.y + lastOf(region.height, Math.floor((point.y * region.height) / 1000)),
      };
  }
}

/** A point less than half a pixel from the end is on the last pixel. */
function lastOf(length: number, at: number): number {
  return Math.min(length - 1, at);
}

/** Where a desktop pixel lies in the image, null where the image does not show it. */
export function toImage({ x, y }: Point, { region, image }: Framing): Point | null {
  const left = x - region.x;
  const top = y - region.y;
  if (left < 0 || top < 0 || left >= region.width || top >= region.height) return null;
  return {
    x: Math.floor(((left + 0.5) * image.width) / region.width),
    y: Math.floor(((top + 0.5) * image.height) / region.height),
  };
}

/**
 * Throws RefusedError stale_screenshot where the desktop has another size than when the image was made, or had one since:
 * what is shown then stands elsewhere. `now`: its size, and the generation since which it has it.
 */
export function assertFresh(
  { framing: { desktop }, generation }: { readonly framing: Framing; readonly generation: number },
  now: Size,
  sizedSince: number,
): void {
  const isSame = desktop.width === now.width && desktop.height === now.height;
  if (isSame && generation >= sizedSince) return;
  const was = `${desktop.width}x${desktop.height} when that screenshot was taken`;
  throw new RefusedError(
    "stale_screenshot",
    isSame
      ? `the desktop was ${was}, had another size since and is as large again now`
      : `the desktop was ${was} and is ${now.width}x${now.height} now`,
  );
}

function check({ x, y }: Point, width: number, height: number, what: string): void {
  if (x >= 0 && y >= 0 && x < width && y < height) return;
  throw new RefusedError(
    "out_of_bounds",
    `got ${x},${y}, expected a point in ${what} of x 0 to ${width - 1}, y 0 to ${height - 1}`,
  );
}
