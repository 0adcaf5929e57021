import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AnswerBody, OpenedAnswer } from "../../api/answers-api.ts";
import { t } from "../language/language.ts";
import "../styles/approvals.css";
import { ApiError, api, serverNowMs } from "../shell/api-client.ts";
import { clockWords, secondsUntil } from "../shell/countdown.ts";
import { sentence } from "../shell/labels.ts";
import { ApprovalBody } from "./approval-body.tsx";

/** Beyond what the server counts from the moment that it sent the question. */
const ARMING_MARGIN_MS = 50;

type Step =
  | { readonly kind: "closed"; readonly ticket: string }
  | { readonly kind: "open"; readonly opened: OpenedAnswer }
  | { readonly kind: "answered"; readonly decision: AnswerBody["decision"] }
  | { readonly kind: "void"; readonly reason: string };

/** The ticket of the link, taken out of the address bar. */
function broughtTicket(): string | null {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("t");
  if (ticket !== null) history.replaceState(null, "", location.pathname);
  return ticket;
}

function firstStep(): Step {
  const ticket = broughtTicket();
  return ticket === null
    ? { kind: "void", reason: t`This address holds no question: open the link that you were sent.` }
    : { kind: "closed", ticket };
}

/** The one question of a link that somebody was sent: looked at once, answered once, without signing in. */
export function AnswerPage() {
  const step = useSignal<Step | null>(null);
  const fault = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  useEffect(() => {
    step.value = firstStep();
  }, []);
  const act = async (work: () => Promise<Step>): Promise<void> => {
    isBusy.value = true;
    fault.value = null;
    try {
      step.value = await work();
    } catch (error) {
      const known = error instanceof ApiError ? error : null;
      const words = sentence(known?.message ?? t`the server cannot be reached`);
      if (known?.code === "not_found") step.value = { kind: "void", reason: words };
      else fault.value = words;
    } finally {
      isBusy.value = false;
    }
  };
  const current = step.value;
  return (
    <main class="page page-narrow answer-page">
      {current?.kind === "closed" && (
        <section class="card answer-note">
          <h1>{t`An agent asks you something`}</h1>
          <p>{t`The link works once: the question is shown here, and you answer with yes or no.`}</p>
          <button
            type="button"
            class="button button-primary"
            disabled={isBusy.value}
            onClick={() => act(async () => ({ kind: "open", opened: await api.openAnswer(current.ticket) }))}
          >
            {t`Show the question`}
          </button>
        </section>
      )}
      {current?.kind === "open" && (
        <OpenQuestion
          opened={current.opened}
          isBusy={isBusy.value}
          onAnswer={(decision) =>
            act(async () => {
              await api.answer({ key: current.opened.key, decision });
              return { kind: "answered", decision };
            })
          }
        />
      )}
      {current?.kind === "answered" && (
        <section class="card answer-note" role="status">
          <h1>{current.decision === "approve" ? t`Approved` : t`Denied`}</h1>
          <p>{t`The agent has your answer. You can close this page.`}</p>
        </section>
      )}
      {current?.kind === "void" && (
        <section class="card answer-note" role="alert">
          <h1>{t`This link does not work any more`}</h1>
          <p>{current.reason}</p>
          <p>
            <a href="/approvals">{t`Open the approvals page`}</a>
          </p>
        </section>
      )}
      {fault.value !== null && (
        <p class="field-error" role="alert">
          {fault.value}
        </p>
      )}
    </main>
  );
}

function OpenQuestion({
  opened,
  isBusy,
  onAnswer,
}: {
  readonly opened: OpenedAnswer;
  readonly isBusy: boolean;
  readonly onAnswer: (decision: AnswerBody["decision"]) => void;
}) {
  const { approval, picture, desktop_name } = opened;
  const isShown = useSignal(picture === null);
  const isArmed = useSignal(false);
  const seconds = useSignal(secondsUntil(approval.expires_at, serverNowMs()));
  useEffect(() => {
    const timer = setInterval(() => {
      seconds.value = secondsUntil(approval.expires_at, serverNowMs());
    }, 1000);
    return () => clearInterval(timer);
  }, [approval.expires_at]);
  // A page that has just come takes no yes, as a card.
  useEffect(() => {
    if (!isShown.value) return;
    const timer = setTimeout(() => {
      isArmed.value = true;
    }, approval.arming_ms + ARMING_MARGIN_MS);
    return () => clearTimeout(timer);
  }, [isShown.value]);
  const isOpen = !isBusy && seconds.value > 0;
  const picture_url = picture === null ? null : `data:image/png;base64,${picture}`;
  return (
    <article class="card approval" aria-labelledby="answer-title">
      <header class="approval-head">
        <h1 id="answer-title">{approval.summary}</h1>
        <span
          class={`approval-clock ${seconds.value <= 10 ? "is-urgent" : ""}`}
          role="timer"
          aria-label={t`Time left`}
        >
          {clockWords(seconds.value)}
        </span>
      </header>
      <ApprovalBody
        approval={{ ...approval, picture_url }}
        desktopName={desktop_name}
        onShown={() => {
          isShown.value = true;
        }}
      />
      <footer class="answer-foot">
        <button type="button" class="button" disabled={!isOpen} onClick={() => onAnswer("deny")}>
          {t`Deny`}
        </button>
        <button
          type="button"
          class="button button-primary"
          disabled={!isOpen || !isArmed.value}
          onClick={() => onAnswer("approve")}
        >
          {t`Approve`}
        </button>
      </footer>
    </article>
  );
}
