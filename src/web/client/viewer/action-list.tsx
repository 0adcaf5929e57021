import type { ActionInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { durationWords, outcomeWords, tokenWords } from "../shell/labels.ts";

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** What was done on a desktop, the newest first. */
export function ActionList({ actions }: { readonly actions: readonly ActionInfo[] }) {
  if (actions.length === 0) {
    return (
      <div class="empty">
        <Icon shape="mousePointerClick" />
        <p>No agent has acted here yet.</p>
        <p class="muted">
          Each click and each text an agent sends appears here with its reason and what it changed.{" "}
          <a href="/setup">Connect an agent</a>
        </p>
      </div>
    );
  }
  return (
    <ol class="actions" aria-label="Actions, newest first">
      {actions.toReversed().map((action) => (
        <ActionRow key={action.id} action={action} />
      ))}
    </ol>
  );
}

function ActionRow({ action }: { readonly action: ActionInfo }) {
  const outcome = outcomeWords(action);
  return (
    <li class="action">
      <time dateTime={action.at}>{TIME.format(new Date(action.at))}</time>
      <div class="action-words">
        <p>{action.summary}</p>
        {action.intent !== null && <p class="action-intent">“{action.intent}”</p>}
        <p class="action-effect">
          <span class={`tone-${outcome.tone}`}>
            <span class="dot" aria-hidden="true" /> {outcome.text}
          </span>
          <span class="muted">
            {durationWords(action.settle_ms ?? action.duration_ms)}
            {action.was_confirmed && ", approved"} ·{" "}
            <span title={tokenWords(action.actor)}>{action.actor.name}</span>
          </span>
        </p>
      </div>
    </li>
  );
}
