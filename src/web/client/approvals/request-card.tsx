import { counted, rich, t } from "../language/language.ts";
import "../styles/approvals.css";
import { useSignal } from "@preact/signals";
import type { RequestBody, RequestInfo } from "../../api/api.ts";
import { api, serverNowMs } from "../shell/api-client.ts";
import { clockWords, secondsUntil } from "../shell/countdown.ts";
import { showError } from "../shell/notices.ts";
import { desktopOf, may, me, now } from "../shell/session.ts";

/** As the server takes it. */
const LONGEST_ANSWER = 2000;

const TITLES = {
  login: t`Log in, please`,
  code: t`A code is needed`,
  captcha: t`A captcha is to be solved`,
  decide: t`A decision is needed`,
  other: t`Help is needed`,
} as const satisfies Record<RequestInfo["kind"], string>;

export interface RequestListProps {
  /** Those that are not over, oldest first. */
  readonly requests: readonly RequestInfo[];
  readonly isDesktopNamed: boolean;
}

/** What agents ask people to do. It stands below the approvals: what goes away here moves none of them. */
export function RequestList({ requests, isDesktopNamed }: RequestListProps) {
  const newest = requests.at(-1);
  return (
    <>
      <p class="visually-hidden" role="status">
        {newest
          ? `${counted(requests.length, t`# request waits|# requests wait`)}. ${newest.actor.name}: ${TITLES[newest.kind]}`
          : ""}
      </p>
      <ul class="approvals requests">
        {requests.map((request) => (
          <li key={request.id}>
            <RequestCard request={request} isDesktopNamed={isDesktopNamed} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface RequestCardProps {
  readonly request: RequestInfo;
  readonly isDesktopNamed: boolean;
}

/** One request: who asks for what, and what a person may do about it. */
function RequestCard({ request, isDesktopNamed }: RequestCardProps) {
  const { id, taken_by: takenBy, is_private: isPrivateNow } = request;
  void now.value;
  const isSending = useSignal(false);
  const wantsPrivate = useSignal(request.wants_private);
  const answer = useSignal("");
  const isMine = takenBy !== null && takenBy.id === me.value?.id;
  const mayTake = may("input");
  const mayAnswer = may("approve") && !isSending.value && (takenBy === null || isMine || may("admin"));
  const send = (body: RequestBody): void => {
    isSending.value = true;
    api
      .answerRequest(id, body)
      .catch((error: unknown) => showError(t`It did not arrive`, error))
      .finally(() => {
        isSending.value = false;
      });
  };
  const end = (how: "done" | "decline"): void => {
    const text = answer.value.trim();
    send({ do: how, ...(text === "" ? {} : { answer: text }) });
  };
  const titleId = `request-${id}`;
  return (
    <article
      class={`card approval request ${isPrivateNow ? "is-private" : ""}`}
      aria-labelledby={titleId}
      data-request-id={id}
    >
      <header class="approval-head">
        <h2 id={titleId}>{TITLES[request.kind]}</h2>
        {takenBy === null && (
          <span class="approval-clock" role="timer" aria-label={t`Time left`}>
            {clockWords(secondsUntil(request.expires_at, serverNowMs()))}
          </span>
        )}
      </header>
      <p class="approval-who">
        {rich`${<strong>{request.actor.name}</strong>} asks for help`}
        {isDesktopNamed && <>{t` on ${desktopOf(request.desktop_id)?.name ?? t`a desktop`}`}</>}:
      </p>
      <blockquote class="approval-intent">{request.reason}</blockquote>
      {takenBy !== null && (
        <p class="request-state" role="status">
          {isMine ? t`You are at it.` : t`${takenBy.name} is at it.`}
          {isPrivateNow && t` Private: agents and recordings see nothing of this desktop.`}
        </p>
      )}
      {mayTake && (takenBy === null || isMine) && (
        <label class="check">
          <input
            type="checkbox"
            checked={isMine ? isPrivateNow : wantsPrivate.value}
            disabled={isSending.value}
            onChange={(event) => {
              wantsPrivate.value = event.currentTarget.checked;
              if (isMine) send({ do: "take", private: event.currentTarget.checked });
            }}
          />
          <span>
            {t`Private `}
            <span class="muted">{t`agents and recordings see nothing until you are done`}</span>
          </span>
        </label>
      )}
      <label class="field">
        <span>{t`Answer to the agent (may stay empty)`}</span>
        <input
          type="text"
          autocomplete="off"
          maxLength={LONGEST_ANSWER}
          value={answer.value}
          disabled={!mayAnswer}
          onInput={(event) => {
            answer.value = event.currentTarget.value;
          }}
        />
      </label>
      <footer class="approval-foot">
        <button type="button" class="button" disabled={!mayAnswer} onClick={() => end("decline")}>
          {t`Decline`}
        </button>
        <button
          type="button"
          class={`button ${mayTake && takenBy === null ? "" : "button-primary"}`}
          disabled={!mayAnswer}
          onClick={() => end("done")}
        >
          {t`Done`}
        </button>
        {mayTake && takenBy === null && (
          <button
            type="button"
            class="button button-primary request-take"
            disabled={!mayAnswer}
            title={t`You have mouse and keyboard; the agent waits`}
            onClick={() => send({ do: "take", private: wantsPrivate.value })}
          >
            {t`Take over`}
          </button>
        )}
      </footer>
    </article>
  );
}
