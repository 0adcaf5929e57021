import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ApprovalInfo, DecisionBody } from "../../api.ts";
import { api, serverNowMs } from "../api-client.ts";
import { clockWords, secondsUntil, shareLeft } from "../countdown.ts";
import { complain } from "../notices.ts";
import { cropAddress } from "../screenshot-address.ts";
import { desktopOf, may, now } from "../session.ts";
import { isTyping } from "../typing.ts";
import { decisionWords } from "../words.ts";
import { later } from "./later.tsx";

const ApprovalEdit = later(async () => (await import("./approval-edit.tsx")).ApprovalEdit);

const ALLOW_FOR_MS = 600_000;
/** Of the picture in a card, CSS pixels. */
const MOST_HEIGHT = 240;

export interface ApprovalCardProps {
  readonly approval: ApprovalInfo;
  /** Where cards of several desktops stand together. */
  readonly isDesktopNamed: boolean;
}

/** One question: may this agent do this? Silence is No. */
export function ApprovalCard({ approval, isDesktopNamed }: ApprovalCardProps) {
  const isSending = useSignal(false);
  void now.value;
  const isPending = approval.state === "pending";
  const seconds = secondsUntil(approval.expires_at, serverNowMs());
  const isOpen = isPending && !isSending.value && seconds > 0;
  const mayDecide = may("approve");

  const isEditing = useSignal(false);
  const mayTakeOver = may("input") && approval.desktop_id !== "";

  const decide = (body: DecisionBody): void => {
    if (!isOpen || !mayDecide) return;
    isSending.value = true;
    api.decide(approval.id, body).catch((error: unknown) => {
      isSending.value = false;
      complain("The decision did not arrive", error);
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
      class={`card approval ${isPending ? "" : "is-settled"}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a card takes the focus so that A and D mean this one
      tabIndex={0}
      aria-labelledby={titleId}
      onKeyDown={onKey}
      data-approval-id={approval.id}
    >
      <header class="approval-head">
        <h2 id={titleId}>{approval.summary}</h2>
        {isPending && (
          <span
            class={`approval-clock ${seconds <= 10 ? "is-urgent" : ""}`}
            role="timer"
            aria-label="Time left"
          >
            {clockWords(seconds)}
          </span>
        )}
      </header>
      <TargetPicture approval={approval} />
      <p class="approval-who">
        <strong>{approval.actor.name}</strong> wants to do this
        {isDesktopNamed && approval.desktop_id !== "" && (
          <> on {desktopOf(approval.desktop_id)?.name ?? "a desktop"}</>
        )}
        {approval.intent === null ? ", and gave no reason." : ":"}
      </p>
      {approval.intent !== null && <blockquote class="approval-intent">{approval.intent}</blockquote>}
      {approval.text !== null && (
        <p class="approval-text">
          <span class="muted">Text</span>
          <code>{approval.text}</code>
        </p>
      )}
      {isPending && approval.bound !== null && (
        <p class="approval-bound muted">
          {approval.is_exact
            ? "Void as soon as anything in this part of the picture changes."
            : "Void as soon as this part of the picture changes visibly; the desktop sends approximations."}
        </p>
      )}
      {isPending ? (
        <footer class="approval-foot">
          <TimeBar approval={approval} />
          <button
            type="button"
            class="button"
            disabled={!isOpen || !mayDecide}
            onClick={() => decide({ decision: "deny" })}
          >
            Deny <kbd>D</kbd>
          </button>
          <button
            type="button"
            class="button button-primary"
            disabled={!isOpen || !mayDecide}
            onClick={() => decide({ decision: "approve" })}
          >
            Approve <kbd>A</kbd>
          </button>
          <div class="approval-more">
            {approval.editable !== null && (
              <button
                type="button"
                class="button"
                aria-expanded={isEditing.value}
                disabled={!isOpen || !mayDecide}
                onClick={() => {
                  isEditing.value = !isEditing.value;
                }}
              >
                Edit
              </button>
            )}
            {approval.desktop_id !== "" && (
              <button
                type="button"
                class="button"
                title="The same kind of action, in this part of the desktop, by this agent"
                disabled={!isOpen || !mayDecide}
                onClick={() => decide({ decision: "approve", allow_for_ms: ALLOW_FOR_MS })}
              >
                Allow this kind here for 10 min
              </button>
            )}
            {mayTakeOver && (
              <button
                type="button"
                class="button"
                title="Do it yourself: the agent is told that you hold the input"
                disabled={!isOpen || !mayDecide}
                onClick={() => decide({ decision: "take_over" })}
              >
                Take over <kbd>T</kbd>
              </button>
            )}
          </div>
          {isEditing.value && (
            <ApprovalEdit
              approval={approval}
              isOpen={isOpen && mayDecide}
              onApprove={(edit) => decide({ decision: "approve", edit })}
            />
          )}
        </footer>
      ) : (
        <p class="approval-end">{decisionWords(approval)}</p>
      )}
    </article>
  );
}

/** The pixels around the target as they were when the question came, with a ring where the click would land. */
function TargetPicture({ approval }: { readonly approval: ApprovalInfo }) {
  const { crop, point } = approval;
  const hasFailed = useSignal(false);
  const frame = useRef<HTMLDivElement>(null);
  const width = crop?.width ?? 0;
  const height = crop?.height ?? 0;
  useEffect(() => {
    frame.current?.style.setProperty("aspect-ratio", `${width} / ${height}`);
    // As high as the style sheet lets it be, and then as wide as its form allows.
    frame.current?.style.setProperty("max-width", `${(MOST_HEIGHT * width) / height}px`);
  }, [width, height]);
  if (crop === null || crop.width <= 0 || crop.height <= 0 || hasFailed.value) return null;
  return (
    <div ref={frame} class="approval-picture">
      <img
        src={cropAddress(approval.desktop_id, crop, approval.id)}
        width={crop.width}
        height={crop.height}
        alt="The place on the desktop this is about"
        onError={() => {
          hasFailed.value = true;
        }}
      />
      {point !== null && (
        <span
          class="approval-ring"
          style={{
            left: `${((point.x + 0.5 - crop.x) / crop.width) * 100}%`,
            top: `${((point.y + 0.5 - crop.y) / crop.height) * 100}%`,
          }}
        />
      )}
    </div>
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
