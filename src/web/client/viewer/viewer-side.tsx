import { rectOfSize } from "../../../framebuffer/rect.ts";
import type { DesktopInfo, MaskInfo, OverlayInfo, RequestInfo } from "../../api/api.ts";
import { ApprovalDock } from "../approvals/approval-dock.tsx";
import { cardsFor, pendingCards } from "../approvals/approval-queue.ts";
import { PointerMarks } from "../approvals/pointer-marks.tsx";
import { RequestList } from "../approvals/request-card.tsx";
import { DesktopDetails } from "../connections/desktop-details.tsx";
import { Icon } from "../controls/icon.tsx";
import { t } from "../language/language.ts";
import { type Hide, MaskList } from "../masks/mask-list.tsx";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import { appState, may } from "../shell/session.ts";
import { ActionList } from "./action-list.tsx";
import { AgentMarks } from "./agent-marks.tsx";
import { OverlayList } from "./overlay-list.tsx";
import { ViewerPanel } from "./viewer-panel.tsx";
import type { ViewerState } from "./viewer-state.ts";

export interface ViewerSideProps {
  readonly desktop: DesktopInfo;
  readonly state: ViewerState;
  readonly masks: readonly MaskInfo[];
  readonly onHide: Hide;
  readonly onRemoveOverlay: (overlay: OverlayInfo) => void;
}

/** The panel with this desktop's things. Questions that wait are above all tabs: nobody must look for them. */
export function ViewerSide({ desktop, state, masks, onHide, onRemoveOverlay }: ViewerSideProps) {
  const cards = cardsFor(appState.value.cards, desktop.id);
  const actions = appState.value.actions.filter((action) => action.desktop_id === desktop.id);
  const requests = requestsFor(desktop.id);
  const tab = state.tab.value;
  return (
    <ViewerPanel
      tab={tab}
      counts={{
        approvals: pendingCards(cards).length + requests.length,
        overlays: state.overlays.value.length,
        masks: masks.length,
      }}
      onTab={(next) => {
        state.tab.value = next;
      }}
      dock={<DesktopDock desktopId={desktop.id} state={state} />}
    >
      {tab === "agent" && (
        <>
          <RequestList requests={requests} isDesktopNamed={false} />
          <ActionList actions={actions} />
        </>
      )}
      {tab === "approvals" && (
        <>
          {pendingCards(cards).length === 0 && requests.length === 0 && (
            <div class="empty">
              <Icon shape="shieldCheck" />
              <p>{t`Nothing waits for you.`}</p>
              <p class="muted">{t`A question nobody answers is a No.`}</p>
            </div>
          )}
          <RequestList requests={requests} isDesktopNamed={false} />
        </>
      )}
      {tab === "overlays" && (
        <OverlayList
          overlays={state.overlays.value}
          areShown={state.areOverlaysShown.value}
          mayChange={may("overlay")}
          onShow={(areShown) => {
            state.areOverlaysShown.value = areShown;
          }}
          onRemove={onRemoveOverlay}
          onClear={() => attempt(t`Could not clear the overlays`, api.clearOverlays(desktop.id))}
        />
      )}
      {tab === "masks" && (
        <MaskList
          masks={masks}
          mayChange={may("masks")}
          onHide={onHide}
          onRemove={(mask) => attempt(t`Could not show it again`, api.removeMask(desktop.id, mask.id))}
        />
      )}
      {tab === "info" && <DesktopDetails desktop={desktop} scale={state.scale.value} />}
    </ViewerPanel>
  );
}

/** With the panel closed, questions float over a corner of the desktop: the picture does not move under the hand. */
export function FloatingApprovals({ desktopId, state }: DesktopDockProps) {
  return (
    <div class="floating">
      <DesktopDock desktopId={desktopId} state={state} />
      <RequestList requests={requestsFor(desktopId)} isDesktopNamed={false} />
    </div>
  );
}

interface DesktopDockProps {
  readonly desktopId: string;
  readonly state: ViewerState;
}

/** The questions about one desktop; the one in front is marked on its picture. */
function DesktopDock({ desktopId, state }: DesktopDockProps) {
  return (
    <ApprovalDock
      cards={cardsFor(appState.value.cards, desktopId)}
      grants={appState.value.grants.filter((grant) => grant.desktop_id === desktopId)}
      isDesktopNamed={false}
      onFront={(approval) => {
        state.asked.value = approval;
      }}
    />
  );
}

/** On the live picture: what agents do, and the very place of the question that is in front. */
export function LiveMarks({ desktopId, state }: DesktopDockProps) {
  const asked = state.asked.value;
  const size = state.size.value;
  const area = rectOfSize(size);
  return (
    <>
      <AgentMarks desktopId={desktopId} size={size} />
      {asked !== null && area.width > 0 && <PointerMarks area={area} point={asked.point} path={asked.path} />}
    </>
  );
}

function requestsFor(desktopId: string): readonly RequestInfo[] {
  return appState.value.requests.filter((request) => request.desktop_id === desktopId);
}
