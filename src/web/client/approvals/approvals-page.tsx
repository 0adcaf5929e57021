import { Icon } from "../controls/icon.tsx";
import { t } from "../language/language.ts";
import { PushSwitch } from "../push/push-switch.tsx";
import { route } from "../shell/router.ts";
import { appState } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { ApprovalDock } from "./approval-dock.tsx";
import { pendingCards } from "./approval-queue.ts";
import { RequestList } from "./request-card.tsx";
import { SmallWindowButton } from "./small-window.tsx";

/** The queue of all desktops, for a phone or a small window at the side. */
export function ApprovalsPage() {
  const { cards, grants, requests } = appState.value;
  const wanted = route.value.page === "approvals" ? route.value.approvalId : null;
  return (
    <Shell>
      <div class="page page-narrow approvals-page">
        <h1>{t`Approvals`}</h1>
        {pendingCards(cards).length === 0 && requests.length === 0 && (
          <div class="empty">
            <Icon shape="shieldCheck" />
            <p>{t`Nothing waits for you.`}</p>
            <p class="muted">
              {t`In assist mode agents ask here before they click or type. A question nobody answers is a No.`}
            </p>
          </div>
        )}
        <ApprovalDock cards={cards} grants={grants} isDesktopNamed wanted={wanted} />
        <RequestList requests={requests} isDesktopNamed />
        <PushSwitch />
        <SmallWindowButton />
      </div>
    </Shell>
  );
}
