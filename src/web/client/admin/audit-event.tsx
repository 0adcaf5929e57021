import type { AuditEventInfo } from "../../api/audit-api.ts";
import { locale, t } from "../language/language.ts";
import { durationWords } from "../shell/labels.ts";
import { desktopOf } from "../shell/session.ts";
import { actionWords, typeWords } from "./audit-words.ts";
import { Fact } from "./token-row.tsx";

const WHEN = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** One event of the audit log: a line of the table, and all its fields below it when it is opened. */
export function AuditEventRow({ event }: { readonly event: AuditEventInfo }) {
  const { actor, outcome, error_code } = event;
  const isFailed = outcome === "failure";
  const tone = !event.is_intact || event.severity === "error" ? "bad" : isFailed ? "warn" : "idle";
  return (
    <li>
      <details class="audit-event">
        <summary class={`audit-line tone-${tone}`}>
          <time dateTime={event.timestamp}>{WHEN.format(new Date(event.timestamp))}</time>
          <span class="audit-what">
            <span class="dot" aria-hidden="true" />
            <strong>{typeWords(event)}</strong>
            {actionWords(event) !== null && <span class="muted">{actionWords(event)}</span>}
          </span>
          <span class="audit-who">{actor === null ? "" : actor.name === "" ? t`unknown` : actor.name}</span>
          <span class="audit-where">{placeWords(event)}</span>
          <span class="audit-outcome">
            {!event.is_intact && t`Not as written `}
            {isFailed && (error_code ?? t`failed`).replaceAll("_", " ")}
          </span>
        </summary>
        <dl class="thing-facts audit-facts">
          {factsOf(event).map(([name, value]) => (
            <Fact key={name} name={name} value={value} />
          ))}
        </dl>
      </details>
    </li>
  );
}

function placeWords({ resource }: AuditEventInfo): string {
  if (resource === null) return "";
  if (resource.kind === "desktop" || resource.kind === "connection")
    return desktopOf(resource.id)?.name ?? resource.id;
  return `${resource.kind} ${resource.id}`;
}

function factsOf(event: AuditEventInfo): readonly (readonly [string, string])[] {
  const { actor, resource, request, mcp, counts } = event;
  const facts: (readonly [string, string | null])[] = [
    [t`Event`, event.event_type],
    [t`Time (UTC)`, event.timestamp],
    [t`By`, actor === null ? t`the server` : actor.name === "" ? t`unknown` : actor.name],
    [t`Id`, actor === null ? null : actor.user_id],
    [t`Who it is`, actor === null ? null : [actor.kind, ...actor.roles].join(", ")],
    [t`Address`, actor?.ip ?? null],
    [t`Action`, event.action],
    [t`Where`, resource === null ? null : `${resource.kind} ${resource.id}`],
    [t`Outcome`, event.error_code ?? event.outcome],
    [t`Took`, event.latency_ms === null ? null : durationWords(event.latency_ms)],
    [t`Tool`, mcp === null ? null : t`${mcp.tool} over ${mcp.transport}`],
    [t`Its reason`, event.intent],
    ...Object.entries(counts ?? {}).map(
      ([name, count]) => [countName(name), count.toLocaleString(locale)] as const,
    ),
    [t`Request`, request === null ? null : `${request.method} ${request.path}`],
    [t`Request id`, request?.request_id ?? null],
    [t`Severity`, event.severity],
    [t`Line`, `${event.seq}${event.is_intact ? t`, as it was written` : t`, NOT as it was written`}`],
    [t`Event id`, event.event_id],
    [t`Version`, event.meta.version],
  ];
  return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value] as const]));
}

/** "duration_ms" as people read it. */
function countName(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
