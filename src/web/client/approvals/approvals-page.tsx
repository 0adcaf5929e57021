import { useEffect } from "preact/hooks";
import { Icon } from "../controls/icon.tsx";
import { PushSwitch } from "../push/push-switch.tsx";
import { route } from "../shell/router.ts";
import { appState } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { ApprovalList } from "./approval-list.tsx";
import { GrantList } from "./grant-list.tsx";
import { RequestList } from "./request-card.tsx";

/** The queue of all desktops, for a phone or a small window at the side. */
export function ApprovalsPage() {
  const { cards, grants, requests } = appState.value;
  const wanted = route.value.page === "approvals" ? route.value.approvalId : null;
  const isWantedThere = cards.some(({ approval }) => approval.id === wanted);
  useEffect(() => {
    if (!isWantedThere || wanted === null) return;
    document.querySelector(`[data-approval-id="${CSS.escape(wanted)}"]`)?.scrollIntoView({ block: "start" });
  }, [wanted, isWantedThere]);
  return (
    <Shell>
      <div class="page page-narrow">
        <h1>Approvals</h1>
        {cards.length === 0 && requests.length === 0 && (
          <div class="empty">
            <Icon shape="shieldCheck" />
            <p>Nothing waits for you.</p>
            <p class="muted">
              In assist mode agents ask here before they click or type. A question nobody answers is a No.
            </p>
          </div>
        )}
        <ApprovalList cards={cards} isDesktopNamed />
        <RequestList requests={requests} isDesktopNamed />
        <GrantList grants={grants} isDesktopNamed />
        <PushSwitch />
      </div>
    </Shell>
  );
}
