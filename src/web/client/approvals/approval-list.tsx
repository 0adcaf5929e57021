import "../styles/approvals.css";
import { useEffect, useRef } from "preact/hooks";
import { countWords } from "../shell/labels.ts";
import { isQueueHeld } from "../shell/session.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { type Card, pendingCards } from "./approval-queue.ts";

export interface ApprovalListProps {
  readonly cards: readonly Card[];
  readonly isDesktopNamed: boolean;
}

/** The queue in the order of arrival. While someone points at it nothing leaves it. */
export function ApprovalList({ cards, isDesktopNamed }: ApprovalListProps) {
  const list = useRef<HTMLUListElement>(null);
  const hold = (isHeld: boolean): void => {
    isQueueHeld.value = isHeld;
  };
  useEffect(() => () => hold(false), []);
  const onFocusOut = (event: FocusEvent): void => {
    const next = event.relatedTarget;
    if (!(next instanceof Node && list.current?.contains(next))) hold(false);
  };
  const waiting = pendingCards(cards);
  const newest = waiting.at(-1)?.approval;
  return (
    <>
      <p class="visually-hidden" role="status">
        {newest
          ? `${countWords(waiting.length, "approval waits", "approvals wait")}. ${newest.actor.name}: ${newest.summary}`
          : ""}
      </p>
      <ul
        ref={list}
        class="approvals"
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
        onFocusIn={() => hold(true)}
        onFocusOut={onFocusOut}
      >
        {cards.map(({ approval }) => (
          <li key={approval.id}>
            <ApprovalCard approval={approval} isDesktopNamed={isDesktopNamed} />
          </li>
        ))}
      </ul>
    </>
  );
}
