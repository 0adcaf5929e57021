import { type Signal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { OverlayInfo } from "../../api/api.ts";
import type { Scaling } from "./stage-plan.ts";
import type { ViewerStatus } from "./viewer.ts";
import type { PanelTab } from "./viewer-panel.tsx";

/** What one viewer page shows and remembers while it is open. */
export interface ViewerState {
  readonly status: Signal<ViewerStatus>;
  readonly overlays: Signal<readonly OverlayInfo[]>;
  readonly clipboard: Signal<string | null>;
  /** CSS pixels a desktop pixel; null before the first layout. */
  readonly scale: Signal<number | null>;
  readonly scaling: Signal<Scaling>;
  readonly isViewOnly: Signal<boolean>;
  readonly areOverlaysShown: Signal<boolean>;
  readonly isClipboardSynced: Signal<boolean>;
  readonly isPanelOpen: Signal<boolean>;
  readonly tab: Signal<PanelTab>;
  toggleFullScreen(page: HTMLElement | null): void;
}

/** Narrower than this the panel would hide the desktop, so it starts closed. */
export const PANEL_FROM = "(min-width: 900px)";

/** A window that shows a part of a desktop is one of several: it starts without the panel. */
export function useViewerState(isCropped: boolean): ViewerState {
  return useMemo(
    () => ({
      status: signal<ViewerStatus>({ kind: "connecting" }),
      overlays: signal<readonly OverlayInfo[]>([]),
      clipboard: signal<string | null>(null),
      scale: signal<number | null>(null),
      scaling: signal<Scaling>("fit"),
      isViewOnly: signal(false),
      areOverlaysShown: signal(true),
      isClipboardSynced: signal(false),
      isPanelOpen: signal(!isCropped && matchMedia(PANEL_FROM).matches),
      tab: signal<PanelTab>("agent"),
      toggleFullScreen: (page) => {
        const change = document.fullscreenElement ? document.exitFullscreen() : page?.requestFullscreen();
        // Refused without a click, or in a frame: the page then stays as it is.
        change?.catch(() => {});
      },
    }),
    [isCropped],
  );
}
