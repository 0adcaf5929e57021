import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ApprovalInfo, DecisionBody } from "../../api/api.ts";
import { rich, t } from "../language/language.ts";
import { api, serverNowMs } from "../shell/api-client.ts";
import { clockWords, secondsUntil, shareLeft } from "../shell/countdown.ts";
import { isTyping } from "../shell/keyboard-focus.ts";
import { showError } from "../shell/notices.ts";
import { desktopOf, may, me, now } from "../shell/session.ts";
import { ApprovalBody } from "./approval-body.tsx";
import { ApprovalEdit } from "./approval-edit.tsx";
import { whyNotYours } from "./four-eyes.ts";

const ALLOW_FOR_MS = 600_000;
/** Beyond what the server counts from the moment that it sent the picture. */
const ARMING_MARGIN_MS = 50;

export interface ApprovalCardProps {
  readonly approval: ApprovalInfo;
  /** Where cards of several desktops stand together. */
  readonly isDesktopNamed: boolean;
}

/** One question: may this agent do this? Silence is No. */
export function ApprovalCard({ approval, isDesktopNamed }: ApprovalCardProps) {
  const isSending = useSignal(false);
  void now.value;
  const seconds = secondsUntil(approval.expires_at, serverNowMs());
  // A card that has just come takes no yes: the click or key was meant for what was there before.
  const isShown = useSignal(approval.picture_url === null);
  const isArmed = useSignal(false);
  useEffect(() => {
    if (!isShown.value) return;
    const timer = setTimeout(() => {
      isArmed.value = true;
    }, approval.arming_ms + ARMING_MARGIN_MS);
    return () => clearTimeout(timer);
  }, [approval.id, isShown.value]);
  const card = useRef<HTMLElement>(null);
  const isOpen = approval.state === "pending" && !isSending.value && seconds > 0;
  const mayDecide = may("approve");
  const mayTake = isOpen && isArmed.value && mayDecide;
  const barred = whyNotYours(approval, me.value);
  const mayAgree = mayTake && barred === null;

  const isEditing = useSignal(false);
  const mayTakeOver = may("input") && approval.desktop_id !== "";

  const isAnswer = { approve: mayAgree, deny: true, take_over: mayTake } as const;
  const decide = (body: DecisionBody): void => {
    if (!isOpen || !mayDecide || !isAnswer[body.decision]) return;
    isSending.value = true;
    // A button that is turned off loses the focus, and with it the way to the next card.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true });
    api.decide(approval.id, body).catch((error: unknown) => {
      isSending.value = false;
      showError(t`The decision did not arrive`, error);
    });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event) || event.repeat) return;
    const decision = { a: "approve", d: "deny", t: "take_over" } as const;
    const key = event.key.toLowerCase();
    if (key !== "a" && key !== "d" && !(key === "t" && mayTakeOver)) return;
    event.preventDefault();
    decide({ decision: decision[key] });
  };
  const titleId = `approval-${approval.id}`;
  return (
    <article
      ref={card}
      class="card approval"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a card takes the focus so that A and D mean this one
      tabIndex={0}
      aria-labelledby={titleId}
      onKeyDown={onKey}
      data-approval-id={approval.id}
    >
      <header class="approval-head">
        <h2 id={titleId}>{approval.summary}</h2>
        <span
          class={`approval-clock ${seconds <= 10 ? "is-urgent" : ""}`}
          role="timer"
          aria-label={t`Time left`}
        >
          {clockWords(seconds)}
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="approval-body" tabIndex={0} aria-label={t`What is asked`}>
        <ApprovalBody
          approval={approval}
          desktopName={
            isDesktopNamed && approval.desktop_id !== ""
              ? (desktopOf(approval.desktop_id)?.name ?? t`a desktop`)
              : null
          }
          onShown={() => {
            isShown.value = true;
          }}
        />
        {barred !== null && (
          <p class="approval-barred" role="note">
            {barred}
          </p>
        )}
        {isEditing.value && (
          <ApprovalEdit
            approval={approval}
            isOpen={mayAgree}
            onApprove={(edit) => decide({ decision: "approve", edit })}
          />
        )}
      </section>
      <footer class="approval-foot">
        <TimeBar approval={approval} />
        <div class="approval-more">
          {approval.editable !== null && (
            <button
              type="button"
              class="button"
              aria-expanded={isEditing.value}
              disabled={!mayAgree}
              onClick={() => {
                isEditing.value = !isEditing.value;
              }}
            >
              {t`Edit`}
            </button>
          )}
          {mayTakeOver && (
            <button
              type="button"
              class="button"
              title={t`Do it yourself: the agent is told that you hold the input`}
              disabled={!mayTake}
              onClick={() => decide({ decision: "take_over" })}
            >
              {rich`Take over ${<kbd>T</kbd>}`}
            </button>
          )}
          {approval.scope !== null && (
            <button
              type="button"
              class="button"
              title={t`Exactly this, by this agent, while this part of the picture stays as it is but for what the action itself does`}
              disabled={!mayAgree}
              onClick={() => decide({ decision: "approve", allow_for_ms: ALLOW_FOR_MS })}
            >
              {t`Allow for 10 min: ${approval.scope}`}
            </button>
          )}
        </div>
        <button
          type="button"
          class="button"
          disabled={!isOpen || !mayDecide}
          onClick={() => decide({ decision: "deny" })}
        >
          {rich`Deny ${<kbd>D</kbd>}`}
        </button>
        <button
          type="button"
          class="button button-primary"
          disabled={!mayAgree}
          onClick={() => decide({ decision: "approve" })}
        >
          {rich`Approve ${<kbd>A</kbd>}`}
        </button>
      </footer>
    </article>
  );
}

function TimeBar({ approval }: { readonly approval: ApprovalInfo }) {
  const share = shareLeft(approval.asked_at, approval.expires_at, serverNowMs());
  return (
    <span class="approval-bar" aria-hidden="true">
      <span style={{ transform: `scaleX(${share})` }} />
    </span>
  );
}
