import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { AuditEventInfo, AuditPageInfo } from "../../api/audit-api.ts";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { counted, locale, rich, t } from "../language/language.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { type ErrorWords, errorWords } from "../shell/notices.ts";
import { adminApi } from "./admin-api.ts";
import { AdminFrame } from "./admin-frame.tsx";
import { AuditEventRow } from "./audit-event.tsx";
import { AuditFilters, filtersOfAddress } from "./audit-filters.tsx";

/** Parts of the log that are looked through for one press where nothing is found. */
const MOST_EMPTY = 8;
/** Whoever types is not asked for at each letter. */
const TYPING_MS = 300;

const WHEN = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** What was found so far, the newest first. */
interface Found {
  readonly events: readonly AuditEventInfo[];
  readonly next: number | null;
  readonly lookedBackTo: string | null;
  readonly chain: AuditPageInfo["chain"];
}

const NOTHING: Found = {
  events: [],
  next: null,
  lookedBackTo: null,
  chain: { lines: 0, changed: 0, missing: 0 },
};

/** The audit log: who did what, when, to what, with what outcome. */
export function AuditPage() {
  return <AdminFrame title={t`Audit log`}>{() => <AuditEvents />}</AdminFrame>;
}

function AuditEvents() {
  const filters = useSignal(filtersOfAddress(location.search));
  const found = useSignal<Found | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const isBusy = useSignal(false);
  /** Answers to what is not asked for any more are dropped. */
  const asking = useRef(0);
  const look = async (start: Found): Promise<void> => {
    const number = ++asking.current;
    isBusy.value = true;
    let so = start;
    try {
      for (let part = 0; part < MOST_EMPTY; part++) {
        const page = await adminApi.auditPage(filters.value, so.next);
        if (number !== asking.current) return;
        so = withPage(so, page);
        failure.value = null;
        if (page.events.length > 0 || page.next === null) break;
      }
      found.value = so;
    } catch (error) {
      if (number !== asking.current) return;
      failure.value = errorWords(error);
    }
    isBusy.value = false;
  };
  const asked = filters.value.toString();
  useEffect(() => {
    history.replaceState(null, "", asked === "" ? location.pathname : `${location.pathname}?${asked}`);
    const timer = setTimeout(() => void look(NOTHING), found.peek() === null ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  const shown = found.value;
  return (
    <>
      <div class="page-head">
        <h1>{t`Audit log`}</h1>
        <IconButton icon="refresh" label={t`Look for newer events`} onClick={() => void look(NOTHING)} />
      </div>
      <AuditFilters
        filters={filters.value}
        onChange={(next) => {
          filters.value = next;
        }}
      />
      {failure.value && (
        <FailureCard
          title={t`The audit log cannot be shown`}
          words={failure.value}
          onRetry={() => void look(shown ?? NOTHING)}
        />
      )}
      {shown && <ChainState found={shown} />}
      {shown?.events.length === 0 && (
        <div class="empty">
          <Icon shape="search" />
          <p>{t`No event is as you ask.`}</p>
        </div>
      )}
      {shown && shown.events.length > 0 && (
        <div class="audit">
          <p class="audit-line audit-head" aria-hidden="true">
            <span>{t`Time`}</span>
            <span>{t`What`}</span>
            <span>{t`Who`}</span>
            <span>{t`Where`}</span>
            <span>{t`Refused or failed`}</span>
          </p>
          <ol aria-label={t`Events, the newest first`} aria-busy={isBusy.value}>
            {shown.events.map((event) => (
              <AuditEventRow key={event.event_id} event={event} />
            ))}
          </ol>
        </div>
      )}
      {shown && (
        <footer class="audit-foot">
          {shown.next !== null && (
            <button type="button" class="button" disabled={isBusy.value} onClick={() => void look(shown)}>
              {isBusy.value ? t`Looking…` : t`Load older events`}
            </button>
          )}
          <p class="muted" role="status">
            {backWords(shown)}
          </p>
        </footer>
      )}
    </>
  );
}

/** What the lines say of themselves; of all of the log the command says it. */
function ChainState({ found }: { readonly found: Found }) {
  const { lines, changed, missing } = found.chain;
  if (lines === 0 && missing === 0) return null;
  const isWhole = changed === 0 && missing === 0;
  return (
    <p class={`audit-chain tone-${isWhole ? "good" : "bad"}`} role="status">
      <Icon shape={isWhole ? "shieldCheck" : "warning"} />
      <span>
        {isWhole ? (
          counted(lines, t`# line checked: none was changed.|# lines checked: none was changed.`)
        ) : (
          <>
            {counted(lines, t`Of # line|Of # lines`)}
            {counted(changed, t` # was changed| # were changed`)}
            {missing === 0
              ? t`, and none is missing.`
              : counted(missing, t`, and # is missing.|, and # are missing.`)}
            {rich` Run ${<code>overlay-companion audit verify</code>}.`}
          </>
        )}
      </span>
    </p>
  );
}

function withPage(so: Found, { events, next, looked_back_to, chain }: AuditPageInfo): Found {
  return {
    events: [...so.events, ...events],
    next,
    lookedBackTo: looked_back_to ?? so.lookedBackTo,
    chain: {
      lines: so.chain.lines + chain.lines,
      changed: so.chain.changed + chain.changed,
      missing: so.chain.missing + chain.missing,
    },
  };
}

function backWords({ next, lookedBackTo }: Found): string {
  if (next === null) return t`There is nothing older.`;
  return lookedBackTo === null ? "" : t`Looked back to ${WHEN.format(new Date(lookedBackTo))}.`;
}
