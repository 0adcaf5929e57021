import type { Rect, Size } from "../../framebuffer/rect.ts";

/** The address of a small live picture: as wide as the tile in device pixels, never enlarged. */
export function thumbnailAddress(desktopId: string, desktop: Size, widthPixels: number): string {
  const scale = desktop.width > 0 ? Math.min(1, widthPixels / desktop.width) : 1;
  // Few steps, so that tiles of nearly the same width share one picture on the server.
  const step = Math.max(0.05, Math.ceil(scale * 20) / 20);
  const query = new URLSearchParams({ scale: String(step), overlays: "1" });
  return `/api/v1/desktops/${encodeURIComponent(desktopId)}/screenshot.jpg?${query}`;
}

/**
 * The address of a part at its native size, pixel-exact. `moment` says for what it is looked at: a browser shows a picture
 * that the page already has again, for the same address, and does not ask whether it has changed.
 */
export function cropAddress(desktopId: string, crop: Rect, moment: string): string {
  const query = new URLSearchParams({
    x: String(crop.x),
    y: String(crop.y),
    width: String(crop.width),
    height: String(crop.height),
    for: moment,
  });
  return `/api/v1/desktops/${encodeURIComponent(desktopId)}/screenshot.png?${query}`;
}
