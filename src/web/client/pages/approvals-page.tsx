import { ApprovalList } from "../parts/approval-list.tsx";
import { Icon } from "../parts/icon.tsx";
import { Shell } from "../parts/shell.tsx";
import { cockpit } from "../session.ts";

/** The queue of all desktops, for a phone or a small window at the side. */
export function ApprovalsPage() {
  const { cards } = cockpit.value;
  return (
    <Shell>
      <div class="page page-narrow">
        <h1>Approvals</h1>
        {cards.length === 0 && (
          <div class="empty">
            <Icon shape="shieldCheck" />
            <p>Nothing waits for you.</p>
            <p class="muted">
              In assist mode agents ask here before they click or type. A question nobody answers is a No.
            </p>
          </div>
        )}
        <ApprovalList cards={cards} isDesktopNamed />
      </div>
    </Shell>
  );
}
