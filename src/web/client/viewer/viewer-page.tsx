import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { DesktopInfo } from "../../api/api.ts";
import { cardsFor, pendingCards } from "../approvals/approval-queue.ts";
import { lazy } from "../controls/lazy.tsx";
import { t } from "../language/language.ts";
import { useMasks } from "../masks/use-masks.ts";
import { api } from "../shell/api-client.ts";
import { focusApproval, isTyping } from "../shell/keyboard-focus.ts";
import { canStop, changeWords, type Present } from "../shell/labels.ts";
import { attempt, showError, showNotice } from "../shell/notices.ts";
import { OfflineBanner } from "../shell/offline-banner.tsx";
import { closeEarlySockets } from "../shell/open-socket.ts";
import { recall, remember } from "../shell/remembered.ts";
import { appState, desktopOf, isOnline, loadActions, may, mayInvite, me } from "../shell/session.ts";
import { ShortcutsDialog } from "../shell/shortcuts-dialog.tsx";
import { ClipboardBridge } from "./clipboard-bridge.ts";
import type { Crop } from "./crop.ts";
import { keepAwake } from "./device/wake-lock.ts";
import { laterParts } from "./later/later-parts.ts";
import { StageBanner } from "./stage-banner.tsx";
import { Viewer } from "./viewer.ts";
import { ViewerBar } from "./viewer-bar.tsx";
import { viewerCommands } from "./viewer-commands.ts";
import { PANEL_FROM, useViewerState } from "./viewer-state.ts";
import "../styles/viewer.css";
import "../styles/viewer-narrow.css";
import "../styles/overlays.css";
import "../styles/masks.css";
import "../styles/agent-marks.css";

const ClipboardPanel = lazy(async () => (await laterParts()).ClipboardPanel);
const FilesDialog = lazy(async () => (await laterParts()).FilesDialog);
const ViewerSide = lazy(async () => (await laterParts()).ViewerSide);
const MaskDialog = lazy(async () => (await laterParts()).MaskDialog);
const InviteDialog = lazy(async () => (await laterParts()).InviteDialog);
const ReplayBar = lazy(async () => (await laterParts()).ReplayBar);
const ExtraKeys = lazy(async () => (await laterParts()).ExtraKeys);
const LiveMarks = lazy(async () => (await laterParts()).LiveMarks);
const FloatingApprovals = lazy(async () => (await laterParts()).FloatingApprovals);

export interface ViewerPageProps {
  readonly desktopId: string;
  readonly crop: Crop | null;
}

/** One desktop, edge to edge. */
export function ViewerPage({ desktopId, crop }: ViewerPageProps) {
  const desktop = desktopOf(desktopId);
  useEffect(() => closeEarlySockets, []);
  if (desktop) return <LiveViewer key={desktopId} desktop={desktop} crop={crop} />;
  return (
    <main class="viewer-loading">
      {appState.value.isKnown && !appState.value.elsewhere.includes(desktopId) ? (
        <div class="card stage-card">
          <h1>{t`No such desktop`}</h1>
          <p>{t`It was removed, or the address is wrong.`}</p>
          <a class="button button-primary" href="/">
            {t`All desktops`}
          </a>
        </div>
      ) : isOnline.value ? (
        <h1 class="visually-hidden">{t`Desktop`}</h1>
      ) : (
        <div class="card stage-card" role="status">
          <h1>{t`No connection to the server`}</h1>
          <p>{t`Trying again. Check that it runs and that nothing keeps WebSockets away.`}</p>
        </div>
      )}
    </main>
  );
}

interface LiveViewerProps {
  readonly desktop: DesktopInfo;
  readonly crop: Crop | null;
}

function LiveViewer({ desktop, crop }: LiveViewerProps) {
  const stage = useRef<HTMLDivElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const viewer = useSignal<Viewer | null>(null);
  const isClipboardAsked = useSignal(false);
  const masks = useMasks(desktop.id);
  const drawnMask = useSignal<Rect | "text" | null>(null);
  const isInviting = useSignal(false);
  const areFilesShown = useSignal(false);
  const known = useRef<Present | null>(null);
  const { id, name } = desktop;
  const state = useViewerState(id, crop !== null);
  // A node that takes it over has none at first: what was shown stays.
  const hadPicture = useRef(false);
  hadPicture.current ||= desktop.width > 0;
  const hasPicture = hadPicture.current;
  const isLive = desktop.state.kind === "live";
  const waiting = pendingCards(cardsFor(appState.value.cards, id));
  const requests = appState.value.requests.filter((request) => request.desktop_id === id);

  const stop = (): void => attempt(t`Could not stop`, api.stop(id));
  const removeOverlay = (overlayId: string, isPressed = false): void =>
    attempt(t`Could not remove the overlay`, api.removeOverlay(id, overlayId, isPressed));

  // At once, not after the page is painted: the first picture may be here already.
  useLayoutEffect(() => {
    if (!stage.current || !hasPicture) return undefined;
    const made = new Viewer(stage.current, {
      desktopId: id,
      crop,
      label: name,
      events: {
        status: (status) => {
          state.status.value = status;
        },
        overlays: (overlays) => {
          state.overlays.value = overlays;
        },
        overlayCloseAsked: (overlay) => removeOverlay(overlay.id, true),
        maskDrawn: (rect) => {
          drawnMask.value = rect;
        },
        clipboard: (text) => {
          state.clipboard.value = text;
        },
        laidOut: (size, scale) => {
          state.scale.value = scale;
          state.size.value = size;
        },
        latched: (held) => {
          state.latched.value = held;
        },
        zoomed: (zoom) => {
          state.zoom.value = zoom;
        },
        entered: () => {
          if (may("input") && !state.isViewOnly.value) explainKeyboardOnce();
        },
        left: () => {
          // The bar itself: in a list of modes the next letter would choose one.
          page.current?.querySelector<HTMLElement>(".viewer-bar")?.focus();
          showNotice(t`The keyboard is the browser's again. Click the desktop to give it back.`);
        },
        approvalWanted: () => {
          if (!focusApproval()) showNotice(t`No approval waits.`);
        },
        stopAsked: stop,
      },
    });
    viewer.value = made;
    return () => {
      viewer.value = null;
      made.close();
    };
  }, [id, hasPicture]);

  // The target came back: our own connection need not wait for its back-off.
  useEffect(() => {
    if (isLive) viewer.value?.retryNow();
  }, [isLive, viewer]);

  const { zoom, isViewOnly, areOverlaysShown, isClipboardSynced } = state;
  const mayInput = may("input");
  const current = viewer.value;
  useEffect(() => {
    if (!current) return;
    current.zoom = zoom.value;
    current.isViewOnly = isViewOnly.value || !mayInput;
    current.areOverlaysShown = areOverlaysShown.value;
    current.masks = masks.value;
  }, [current, zoom.value, isViewOnly.value, areOverlaysShown.value, masks.value, mayInput]);

  const isWatching = state.status.value.kind === "connected";
  useEffect(() => (isWatching ? keepAwake() : undefined), [isWatching]);
  const isSoundOn = state.isSoundOn.value;
  useEffect(() => {
    if (!isSoundOn) return undefined;
    const playing = laterParts().then(({ playSound }) => playSound(id));
    attempt(t`Could not play the sound`, playing);
    return () => void playing.then((end) => end());
  }, [id, isSoundOn]);
  const isHolding = desktop.holder?.kind === "human" && desktop.holder.id === me.value?.id;
  useEffect(() => {
    if (!isHolding) return undefined;
    // The browser asks whether to leave: agents wait for who holds the input.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isHolding]);

  const hide = (what: Rect | "text" | null): void => {
    drawnMask.value = what;
    if (what) return;
    // On a phone the panel lies over the desktop.
    if (!matchMedia(PANEL_FROM).matches) state.isPanelOpen.value = false;
    current?.drawMask();
    showNotice(t`Drag over what is to be hidden. Escape ends it.`);
  };

  useEffect(() => {
    if (!isClipboardSynced.value || !current) return undefined;
    const bridge = new ClipboardBridge((text) => current.paste(text));
    const unsubscribe = state.clipboard.subscribe((text) => {
      if (text !== null) bridge.receive(text);
    });
    return () => {
      unsubscribe();
      bridge.close();
    };
  }, [current, isClipboardSynced.value, state.clipboard]);

  useEffect(() => attempt(t`Could not load the actions`, loadActions(id)), [id]);

  useEffect(() => {
    const { holder, agents } = desktop;
    const before = known.current;
    known.current = { holder, agents };
    if (before === null) return;
    const words = changeWords(before, known.current, me.value?.id ?? null);
    for (const text of words) showNotice(text);
  }, [desktop]);

  const commands = viewerCommands({
    desktop,
    state,
    viewer: current,
    isCropped: crop !== null,
    mayInput,
    mayControl: may("control"),
    meId: me.value?.id ?? null,
    onInvite: mayInvite(desktop)
      ? () => {
          isInviting.value = true;
        }
      : null,
    onFiles:
      desktop.has_files && may("files")
        ? () => {
            areFilesShown.value = true;
          }
        : null,
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.repeat) return;
      const key = event.key.toLowerCase();
      if (key === "p") state.isPanelOpen.value = !state.isPanelOpen.value;
      else if (key === "f") state.toggleFullScreen();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  // Not before the desktop has answered, or nothing is asked of it; from then on it stays.
  const isSideDue = useSignal(false);
  if (!hasPicture || state.status.value.kind !== "connecting") isSideDue.value = true;
  const hasReplayBar = desktop.protocol === "replay" && may("control");
  useEffect(() => {
    if (!current || !isSideDue.value) return undefined;
    const { marks } = current;
    render(<LiveMarks desktopId={id} state={state} />, marks);
    return () => render(null, marks);
  }, [current, id, state, isSideDue.value]);
  const isGreyed = !isLive || state.status.value.kind !== "connected";
  return (
    <div ref={page} class={`viewer ${state.isPanelOpen.value ? "has-panel" : ""}`}>
      <ViewerBar
        desktop={desktop}
        commands={commands}
        mayControl={may("control")}
        isStopRed={canStop(
          desktop,
          waiting.map((card) => card.approval),
        )}
        isPanelOpen={state.isPanelOpen.value}
        waiting={waiting.length + requests.length}
        zoom={crop === null ? zoom.value : null}
        onZoom={(next) => {
          zoom.value = next;
        }}
        onMode={(mode) => attempt(t`Could not change the mode`, api.setMode(id, mode))}
        onStop={stop}
        meId={me.value?.id ?? null}
        onGiveBack={() => attempt(t`Could not give the input back`, api.giveBack(id))}
        onTakeOver={() => attempt(t`Could not take the input over`, takeOver(id))}
        onResume={() => attempt(t`Could not resume`, api.resume(id))}
        onPanel={() => {
          state.isPanelOpen.value = !state.isPanelOpen.value;
        }}
      >
        <div
          id="viewer-clipboard"
          class="popover"
          popover="auto"
          role="dialog"
          aria-label={t`Clipboard`}
          onBeforeToggle={() => {
            isClipboardAsked.value = true;
          }}
        >
          {isClipboardAsked.value && (
            <ClipboardPanel
              text={state.clipboard.value}
              isSynced={isClipboardSynced.value}
              mayWrite={mayInput && !isViewOnly.value}
              onSync={(isSynced) => {
                isClipboardSynced.value = isSynced;
              }}
              onSend={(text) => {
                if (state.status.value.kind !== "connected") {
                  showError(t`Could not set the desktop's clipboard`, new Error(t`it is not connected`));
                  return;
                }
                current?.paste(text);
                showNotice(t`Put on the desktop's clipboard`);
              }}
            />
          )}
        </div>
      </ViewerBar>
      <OfflineBanner />
      {/* All before the desktop, from which Tab leads nowhere. */}
      {isSideDue.value && state.isPanelOpen.value && (
        <ViewerSide
          desktop={desktop}
          state={state}
          masks={masks.value}
          onHide={hide}
          onRemoveOverlay={(overlay) => removeOverlay(overlay.id)}
        />
      )}
      <main class={`viewer-main ${hasReplayBar ? "has-replay" : ""}`}>
        {isSideDue.value && !state.isPanelOpen.value && <FloatingApprovals desktopId={id} state={state} />}
        {current && isSideDue.value && state.areExtraKeysShown.value && mayInput && !isViewOnly.value && (
          <ExtraKeys viewer={current} state={state} />
        )}
        <StageBanner
          desktop={desktop}
          status={state.status.value}
          mayControl={may("control")}
          onRetry={() => {
            if (isLive) current?.reconnect();
            else attempt(t`Could not reconnect`, api.reconnect(id));
          }}
        />
        {hasReplayBar && isSideDue.value && <ReplayBar desktopId={id} />}
        <div ref={stage} class={`stage ${isGreyed ? "is-greyed" : ""}`} />
      </main>
      {drawnMask.value !== null && (
        <MaskDialog
          rect={drawnMask.value === "text" ? null : drawnMask.value}
          onHide={(mask) => attempt(t`Could not hide it`, api.addMask(id, mask))}
          onClose={() => {
            drawnMask.value = null;
          }}
        />
      )}
      {isInviting.value && (
        <InviteDialog
          desktop={desktop}
          onClose={() => {
            isInviting.value = false;
          }}
        />
      )}
      {areFilesShown.value && (
        <FilesDialog
          desktopId={id}
          onClose={() => {
            areFilesShown.value = false;
          }}
        />
      )}
      <ShortcutsDialog />
    </div>
  );
}

/** Who uses the input at this very moment keeps it. */
async function takeOver(id: string): Promise<void> {
  const { holder } = await api.takeOver(id);
  if (holder?.kind === "human" && holder.id !== me.value?.id) {
    showNotice(t`${holder.name} is using it right now: ask for the input`);
  }
}

const ESCAPE_CHORD = "knows-escape-chord";
let isEscapeChordSaid = false;

/** The first time a desktop gets the keyboard, says how to get it back. */
function explainKeyboardOnce(): void {
  // A browser that keeps nothing for us is told again next time.
  if (isEscapeChordSaid || recall(ESCAPE_CHORD) !== null) return;
  isEscapeChordSaid = true;
  showNotice(t`All keys go to the desktop now. Ctrl+Alt+Shift gives you the keyboard back.`);
  remember(ESCAPE_CHORD, "yes");
}
