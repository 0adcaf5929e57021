import { type Signal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Size } from "../../../framebuffer/rect.ts";
import type { ApprovalInfo, OverlayInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { showNotice } from "../shell/notices.ts";
import { remembered, rememberedFlag } from "../shell/remembered.ts";
import { isZoom, type Zoom } from "./stage-plan.ts";
import type { ViewerStatus } from "./viewer.ts";
import type { PanelTab } from "./viewer-panel.tsx";

/** What one viewer page shows, and what of it is remembered. */
export interface ViewerState {
  readonly status: Signal<ViewerStatus>;
  readonly overlays: Signal<readonly OverlayInfo[]>;
  readonly clipboard: Signal<string | null>;
  /** The question that is in front, to be marked on the picture. */
  readonly asked: Signal<ApprovalInfo | null>;
  /** CSS pixels a desktop pixel; null before the first layout. */
  readonly scale: Signal<number | null>;
  /** The desktop's, as it is shown. */
  readonly size: Signal<Size>;
  readonly zoom: Signal<Zoom>;
  readonly isViewOnly: Signal<boolean>;
  readonly areOverlaysShown: Signal<boolean>;
  readonly isClipboardSynced: Signal<boolean>;
  readonly areExtraKeysShown: Signal<boolean>;
  /** Off until asked for. */
  readonly isSoundOn: Signal<boolean>;
  /** Keysyms of the extra keys that are held down. */
  readonly latched: Signal<ReadonlySet<number>>;
  readonly isPanelOpen: Signal<boolean>;
  readonly tab: Signal<PanelTab>;
  toggleFullScreen(): void;
}

/** Narrower than this the panel would hide the desktop, so it starts closed. */
export const PANEL_FROM = `(min-width: 56.25em)`;

/** What a viewer remembers is kept by its desktop. A window that shows a part of a desktop is one of several: it starts without the panel. */
export function useViewerState(desktopId: string, isCropped: boolean): ViewerState {
  return useMemo(() => {
    const flag = (name: string, initial: boolean): Signal<boolean> =>
      rememberedFlag(desktopId, name, initial);
    return {
      status: signal<ViewerStatus>({ kind: "connecting" }),
      overlays: signal<readonly OverlayInfo[]>([]),
      clipboard: signal<string | null>(null),
      asked: signal<ApprovalInfo | null>(null),
      scale: signal<number | null>(null),
      size: signal<Size>({ width: 0, height: 0 }),
      zoom: remembered<Zoom>(desktopId, "zoom", "fit", isZoom),
      isViewOnly: flag("isViewOnly", false),
      areOverlaysShown: flag("areOverlaysShown", true),
      isClipboardSynced: flag("isClipboardSynced", false),
      areExtraKeysShown: flag("areExtraKeysShown", matchMedia("(pointer: coarse)").matches),
      isSoundOn: signal(false),
      latched: signal<ReadonlySet<number>>(new Set()),
      isPanelOpen: !isCropped && matchMedia(PANEL_FROM).matches ? flag("isPanelOpen", true) : signal(false),
      tab: signal<PanelTab>("agent"),
      toggleFullScreen: () => {
        // Refused without a click, or in a frame: the page then stays as it is.
        if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
        else openFullScreen().catch(() => {});
      },
    };
  }, [desktopId, isCropped]);
}

/** All of the page, so that messages and dialogs are seen too; the browser's own keys go to the desktop where it can. */
async function openFullScreen(): Promise<void> {
  await document.documentElement.requestFullscreen();
  if (navigator.keyboard === undefined) return;
  await navigator.keyboard.lock();
  showNotice(t`Escape goes to the desktop too: hold it down to leave full screen.`);
}
