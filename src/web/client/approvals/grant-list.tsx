import type { GrantInfo } from "../../api/api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { counted, t } from "../language/language.ts";
import { api, serverNowMs } from "../shell/api-client.ts";
import { clockWords, secondsUntil } from "../shell/countdown.ts";
import { attempt } from "../shell/notices.ts";
import { desktopOf, may, now } from "../shell/session.ts";

export interface GrantListProps {
  readonly grants: readonly GrantInfo[];
  /** Where those of several desktops stand together. */
  readonly isDesktopNamed: boolean;
}

/** What agents need not ask about for a while: a chip each, with the time that is left and the click that ends it. */
export function GrantList({ grants, isDesktopNamed }: GrantListProps) {
  void now.value;
  if (grants.length === 0) return null;
  return (
    <ul class="grants" aria-label={t`Allowed for a while`}>
      {grants.map((grant) => {
        const { scope, actor, given_by, uses } = grant;
        const where = isDesktopNamed ? t` on ${desktopOf(grant.desktop_id)?.name ?? t`a desktop`}` : "";
        const used = counted(uses, t`used once|used # times`);
        return (
          <li
            key={grant.id}
            class="grant"
            title={t`${actor.name}: ${scope}${where}, by ${given_by}, ${used}`}
          >
            <span class="grant-words">
              {scope}
              {where}
            </span>
            <span class="muted">{clockWords(secondsUntil(grant.expires_at, serverNowMs()))}</span>
            {may("approve") && (
              <IconButton
                icon="cross"
                label={t`Take back: ${scope}`}
                onClick={() => attempt(t`Could not take it back`, api.revokeGrant(grant.id))}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}
