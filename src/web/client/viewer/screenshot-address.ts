import type { Size } from "../../../framebuffer/rect.ts";

/** The address of a small live picture: as wide as the tile in device pixels, never enlarged. */
export function thumbnailAddress(desktopId: string, desktop: Size, widthPixels: number): string {
  const scale = desktop.width > 0 ? Math.min(1, widthPixels / desktop.width) : 1;
  // Few steps, so that tiles of nearly the same width share one picture on the server.
  const step = Math.max(0.05, Math.ceil(scale * 20) / 20);
  const query = new URLSearchParams({ scale: String(step), overlays: "1" });
  return `/api/v1/desktops/${encodeURIComponent(desktopId)}/screenshot.jpg?${query}`;
}
