import { useSignal } from "@preact/signals";
import type { ActionInfo } from "../../api/api.ts";
import { PointerMarks } from "../approvals/pointer-marks.tsx";
import { Icon } from "../controls/icon.tsx";
import { locale, t } from "../language/language.ts";
import { desktopPath } from "../shell/api-client.ts";
import { below } from "../shell/base-path.ts";
import { durationWords, outcomeWords, tokenWords } from "../shell/labels.ts";

const TIME = new Intl.DateTimeFormat(locale, {
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
        <p>{t`No agent has acted here yet.`}</p>
        <p class="muted">
          {t`Each click and each text an agent sends appears here with its reason and what it changed. `}

          <a href="/setup">{t`Connect an agent`}</a>
        </p>
      </div>
    );
  }
  const pictured = actions.findLast(({ pictures }) => pictures !== null);
  return (
    <ol class="actions" aria-label={t`Actions, newest first`}>
      {actions.toReversed().map((action) => (
        <ActionRow key={action.id} action={action} isNewest={action === pictured} />
      ))}
    </ol>
  );
}

function ActionRow({ action, isNewest }: { readonly action: ActionInfo; readonly isNewest: boolean }) {
  const outcome = action.kind === "look" ? null : outcomeWords(action);
  /** null: nobody chose, and those of the newest action are shown. */
  const chosen = useSignal<boolean | null>(null);
  const isOpen = chosen.value ?? isNewest;
  return (
    <li class="action">
      <time dateTime={action.at}>{TIME.format(new Date(action.at))}</time>
      <div class="action-words">
        <p>{action.summary}</p>
        {action.intent !== null && <p class="action-intent">“{action.intent}”</p>}
        <p class="action-effect">
          {outcome !== null && (
            <span class={`tone-${outcome.tone}`}>
              <span class="dot" aria-hidden="true" /> {outcome.text}
            </span>
          )}
          <span class="muted">
            {outcome !== null && durationWords(action.settle_ms ?? action.duration_ms)}
            {action.was_confirmed && t`, approved`}
            {outcome !== null && " · "}
            <span title={tokenWords(action.actor)}>{action.actor.name}</span>
          </span>
        </p>
        {action.pictures !== null && (
          <details
            open={isOpen}
            onToggle={(event) => {
              const { open } = event.currentTarget;
              if (open !== isOpen) chosen.value = open;
            }}
          >
            <summary>{t`Before and after`}</summary>
            {isOpen && <BeforeAfter action={action} {...action.pictures} />}
          </details>
        )}
      </div>
    </li>
  );
}

type BeforeAfterProps = NonNullable<ActionInfo["pictures"]> & { readonly action: ActionInfo };

/** The place that was acted at, with a ring where a button was pressed. */
function BeforeAfter({ action, crop, point }: BeforeAfterProps) {
  const isGone = useSignal(false);
  if (isGone.value) return <p class="muted">{t`Not kept any more, or hidden since.`}</p>;
  return (
    <div class="action-pictures">
      {(["before", "after"] as const).map((when) => (
        <figure key={when}>
          <div class="action-picture">
            <img
              src={below(desktopPath(action.desktop_id, `/actions/${action.id}/${when}.png`))}
              width={crop.width}
              height={crop.height}
              alt={`${when === "before" ? t`Before` : t`After`}: ${action.summary}`}
              onError={() => {
                isGone.value = true;
              }}
            />
            {when === "before" && <PointerMarks area={crop} point={point} path={[]} />}
          </div>
          <figcaption class="muted">{when === "before" ? t`Before` : t`After`}</figcaption>
        </figure>
      ))}
    </div>
  );
}
