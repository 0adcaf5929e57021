import type { DesktopInfo, OverlayInfo } from "../../api.ts";
import { api } from "../api-client.ts";
import { cardsFor, pendingCards } from "../approval-queue.ts";
import { attempt } from "../notices.ts";
import { ActionList } from "../parts/action-list.tsx";
import { ApprovalList } from "../parts/approval-list.tsx";
import { DesktopFacts } from "../parts/desktop-facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { OverlayList } from "../parts/overlay-list.tsx";
import { ViewerPanel } from "../parts/viewer-panel.tsx";
import { cockpit, may } from "../session.ts";
import type { ViewerState } from "./viewer-state.ts";

export interface ViewerSideProps {
  readonly desktop: DesktopInfo;
  readonly state: ViewerState;
  readonly onRemoveOverlay: (overlay: OverlayInfo) => void;
}

/** The panel with this desktop's things. Questions that wait are shown above the actions too: nobody must look for them. */
export function ViewerSide({ desktop, state, onRemoveOverlay }: ViewerSideProps) {
  const cards = cardsFor(cockpit.value.cards, desktop.id);
  const actions = cockpit.value.actions.filter((action) => action.desktop_id === desktop.id);
  const tab = state.tab.value;
  return (
    <ViewerPanel
      tab={tab}
      counts={{ approvals: pendingCards(cards).length, overlays: state.overlays.value.length }}
      onTab={(next) => {
        state.tab.value = next;
      }}
    >
      {tab === "agent" && (
        <>
          <ApprovalList cards={cards} isDesktopNamed={false} />
          <ActionList actions={actions} />
        </>
      )}
      {tab === "approvals" && (
        <>
          {cards.length === 0 && (
            <div class="empty">
              <Icon shape="shieldCheck" />
              <p>Nothing waits for you.</p>
              <p class="muted">A question nobody answers is a No.</p>
            </div>
          )}
          <ApprovalList cards={cards} isDesktopNamed={false} />
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
          onClear={() => attempt("Could not clear the overlays", api.clearOverlays(desktop.id))}
        />
      )}
      {tab === "info" && <DesktopFacts desktop={desktop} scale={state.scale.value} />}
    </ViewerPanel>
  );
}

/** With the panel closed, questions float over a corner of the desktop: the picture does not move under the hand. */
export function FloatingApprovals({ desktopId }: { readonly desktopId: string }) {
  const cards = cardsFor(cockpit.value.cards, desktopId);
  return (
    <section class="floating" aria-label="Approvals">
      <ApprovalList cards={cards} isDesktopNamed={false} />
    </section>
  );
}
