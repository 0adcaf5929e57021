import type { GrantInfo } from "../../api/api.ts";
import { api, serverNowMs } from "../shell/api-client.ts";
import { clockWords, secondsUntil } from "../shell/countdown.ts";
import { attempt } from "../shell/notices.ts";
import { desktopOf, may, now } from "../shell/session.ts";

export interface GrantListProps {
  readonly grants: readonly GrantInfo[];
  /** Where those of several desktops stand together. */
  readonly isDesktopNamed: boolean;
}

/** What agents need not ask about for a while, each with the one click that ends it; nothing where there is none. */
export function GrantList({ grants, isDesktopNamed }: GrantListProps) {
  void now.value;
  if (grants.length === 0) return null;
  return (
    <section class="grants" aria-label="Allowed for a while">
      <h2>Allowed for a while</h2>
      <ul>
        {grants.map((grant) => (
          <li key={grant.id} class="card grant">
            <p>
              <strong>{grant.actor.name}</strong>: {grant.scope}
              {isDesktopNamed && <> on {desktopOf(grant.desktop_id)?.name ?? "a desktop"}</>}
              <span class="muted">
                {" "}
                by {grant.given_by}, {clockWords(secondsUntil(grant.expires_at, serverNowMs()))} left,{" "}
                {grant.uses === 1 ? "used once" : `used ${grant.uses} times`}
              </span>
            </p>
            <button
              type="button"
              class="button"
              disabled={!may("approve")}
              aria-label={`Take back: ${grant.scope}`}
              onClick={() => attempt("Could not take it back", api.revokeGrant(grant.id))}
            >
              Take back
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
