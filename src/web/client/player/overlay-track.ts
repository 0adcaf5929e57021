import type { OverlayInfo, TrackInfo } from "../../api/api.ts";

export type OverlayEntry = Extract<TrackInfo, { type: "overlay" }>;

/** The overlays that stood at a moment, in drawing order. */
export function overlaysAt(entries: readonly OverlayEntry[], ms: number): readonly OverlayInfo[] {
  return entries
    .filter(({ at_ms, until_ms }) => at_ms <= ms && (until_ms === null || until_ms > ms))
    .map(({ overlay }) => overlay);
}
