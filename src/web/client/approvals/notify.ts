import type { ApprovalInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { focusApproval } from "../shell/keyboard-focus.ts";
import { type Card, pendingCards } from "./approval-queue.ts";

const shown = new Map<string, Notification>();

/**
 * Tells the desktop of this computer of questions that came, where the person allowed it and looks elsewhere; takes back
 * what is settled. The words are those that the browser's own window shows: no typed text is among them.
 */
export function notifyOf(before: readonly Card[], after: readonly Card[]): void {
  const waiting = new Set(pendingCards(after).map(({ approval }) => approval.id));
  for (const [id, notification] of shown) {
    if (waiting.has(id)) continue;
    notification.close();
    shown.delete(id);
  }
  if (!("Notification" in window) || Notification.permission !== "granted" || document.hasFocus()) return;
  const known = new Set(before.map(({ approval }) => approval.id));
  for (const { approval } of pendingCards(after)) {
    if (!known.has(approval.id)) shown.set(approval.id, show(approval));
  }
}

function show(approval: ApprovalInfo): Notification {
  const notification = new Notification(t`${approval.actor.name} asks`, {
    body: approval.intent === null ? approval.summary : `${approval.summary}: ${approval.intent}`,
    tag: approval.id,
    requireInteraction: true,
  });
  notification.addEventListener("click", () => {
    window.focus();
    focusApproval();
    notification.close();
  });
  return notification;
}
