import type { ApprovalInfo } from "../../api/api.ts";

/** One card: its question, and when it was settled (browser time, ms), null while it waits. */
export interface Card {
  readonly approval: ApprovalInfo;
  readonly settledAtMs: number | null;
}

/** A settled question stays, as a line, for so long. */
const LINGER_MS = 6000;
/** Beyond this many the oldest settled cards go first; open questions are never dropped. */
const MAX_CARDS = 200;

/** The queue as a person sees it. Order is that of arrival and never changes: new questions come last. */
export function withApproval(cards: readonly Card[], approval: ApprovalInfo, nowMs: number): readonly Card[] {
  const isPending = approval.state === "pending";
  const at = cards.findIndex((card) => card.approval.id === approval.id);
  if (at < 0) {
    if (!isPending) return cards;
    return bounded([...cards, { approval, settledAtMs: null }]);
  }
  return cards.map((card, index) =>
    index === at ? { approval, settledAtMs: isPending ? null : (card.settledAtMs ?? nowMs) } : card,
  );
}

/** After a reconnect: `approvals` is all that waits. What the server no longer knows was settled meanwhile. */
export function withSnapshot(
  cards: readonly Card[],
  approvals: readonly ApprovalInfo[],
  nowMs: number,
): readonly Card[] {
  const known = new Set(approvals.map((approval) => approval.id));
  const kept = cards.map(
    (card): Card =>
      card.settledAtMs === null && !known.has(card.approval.id)
        ? { approval: { ...card.approval, state: "cancelled" }, settledAtMs: nowMs }
        : card,
  );
  return approvals.reduce<readonly Card[]>((all, approval) => withApproval(all, approval, nowMs), kept);
}

/** Without the cards that have been settled for a while. */
export function swept(cards: readonly Card[], nowMs: number): readonly Card[] {
  const left = cards.filter((card) => card.settledAtMs === null || nowMs - card.settledAtMs < LINGER_MS);
  return left.length === cards.length ? cards : left;
}

export function pendingCards(cards: readonly Card[]): readonly Card[] {
  return cards.filter((card) => card.settledAtMs === null);
}

/** The question that is in front: the chosen one while it waits, else the one that has waited longest. */
export function frontCard(cards: readonly Card[], chosenId: string | null): Card | undefined {
  const waiting = pendingCards(cards);
  return waiting.find(({ approval }) => approval.id === chosenId) ?? waiting[0];
}

/** What is asked about one desktop, and what is about none yet: whoever looks at any desktop is to see that too. */
export function cardsFor(cards: readonly Card[], desktopId: string): readonly Card[] {
  return cards.filter(({ approval }) => approval.desktop_id === desktopId || approval.desktop_id === "");
}

function bounded(cards: readonly Card[]): readonly Card[] {
  let excess = cards.length - MAX_CARDS;
  if (excess <= 0) return cards;
  return cards.filter((card) => card.settledAtMs === null || excess-- <= 0);
}
