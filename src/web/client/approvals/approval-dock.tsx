import { counted, t } from "../language/language.ts";
import "../styles/approvals.css";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ApprovalInfo, GrantInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { serverNowMs } from "../shell/api-client.ts";
import { clockWords, secondsUntil } from "../shell/countdown.ts";
import { decisionWords } from "../shell/labels.ts";
import { desktopOf, now } from "../shell/session.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { type Card, frontCard, pendingCards } from "./approval-queue.ts";
import { GrantList } from "./grant-list.tsx";
import { NotifyButton } from "./notify-button.tsx";

export interface ApprovalDockProps {
  readonly cards: readonly Card[];
  readonly grants: readonly GrantInfo[];
  readonly isDesktopNamed: boolean;
  /** The id of the question that is wanted in front; null: the one that has waited longest. */
  readonly wanted?: string | null;
  /** Told which question is in front. */
  readonly onFront?: (approval: ApprovalInfo | null) => void;
}

/**
 * The questions of agents: one is in front, always in the same place and of the same size, the others are lines below
 * it, and so are those that are settled. Who answers with the focus in the card has it in the next one.
 */
export function ApprovalDock({ cards, grants, isDesktopNamed, wanted = null, onFront }: ApprovalDockProps) {
  const dock = useRef<HTMLElement>(null);
  const chosen = useSignal<string | null>(wanted);
  void now.value;
  const waiting = pendingCards(cards);
  const front = frontCard(cards, chosen.value)?.approval ?? null;
  const settled = cards.filter((card) => card.settledAtMs !== null);
  useEffect(() => {
    if (wanted !== null) chosen.value = wanted;
  }, [wanted, chosen]);
  useEffect(() => {
    onFront?.(front);
    return () => onFront?.(null);
  }, [front?.id]);
  // Before what has it is taken away: the browser tells of that as it does of a person who goes elsewhere.
  const hadFocus = hasFocus(dock.current);
  useLayoutEffect(() => {
    if (!hadFocus || hasFocus(dock.current)) return;
    const next = dock.current?.querySelector<HTMLElement>(".approval") ?? dock.current;
    next?.focus({ preventScroll: true });
  }, [front?.id]);
  const newest = waiting.at(-1)?.approval;
  return (
    <section ref={dock} class="dock" aria-label={t`Approvals`} tabIndex={-1}>
      <p class="visually-hidden" role="status">
        {newest
          ? `${counted(waiting.length, t`# approval waits|# approvals wait`)}. ${newest.actor.name}: ${newest.summary}`
          : ""}
      </p>
      {front && <ApprovalCard key={front.id} approval={front} isDesktopNamed={isDesktopNamed} />}
      {waiting.length > 1 && (
        <ul class="approval-lines" aria-label={t`Also waiting`}>
          {waiting
            .filter(({ approval }) => approval.id !== front?.id)
            .map(({ approval }) => (
              <li key={approval.id}>
                <button
                  type="button"
                  class="approval-line"
                  data-approval-id={approval.id}
                  onClick={() => {
                    chosen.value = approval.id;
                  }}
                >
                  <span class="approval-line-words">
                    {approval.summary}
                    <span class="muted">
                      {" "}
                      {approval.actor.name}
                      {isDesktopNamed && `, ${desktopOf(approval.desktop_id)?.name ?? t`no desktop yet`}`}
                    </span>
                  </span>
                  <span class="muted">{clockWords(secondsUntil(approval.expires_at, serverNowMs()))}</span>
                </button>
              </li>
            ))}
        </ul>
      )}
      {settled.length > 0 && (
        <ul class="approval-lines" aria-label={t`Settled`}>
          {settled.map(({ approval }) => (
            <li key={approval.id} class="approval-line is-settled" data-approval-id={approval.id}>
              <Icon shape={approval.state === "granted" ? "check" : "cross"} />
              <span class="approval-line-words">
                {approval.summary} <span class="muted">{decisionWords(approval)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <GrantList grants={grants} isDesktopNamed={isDesktopNamed} />
      {waiting.length > 0 && <NotifyButton />}
    </section>
  );
}

function hasFocus(dock: HTMLElement | null): boolean {
  return dock?.contains(dock.ownerDocument.activeElement) === true;
}
