import { t } from "../language/language.ts";
import { appState } from "../shell/session.ts";
import { TYPE_GROUPS } from "./audit-words.ts";

const NAMES = ["types", "actor", "desktop", "from", "until"] as const;
type FilterName = (typeof NAMES)[number];

/** The filters that the page's address holds, as the API takes them. */
export function filtersOfAddress(search: string): URLSearchParams {
  const all = new URLSearchParams(search);
  return new URLSearchParams(
    NAMES.flatMap((name) => {
      const value = all.get(name);
      return value === null || value === "" ? [] : [[name, value]];
    }),
  );
}

export interface AuditFiltersProps {
  readonly filters: URLSearchParams;
  readonly onChange: (filters: URLSearchParams) => void;
}

/** What is looked for in the log. */
export function AuditFilters({ filters, onChange }: AuditFiltersProps) {
  const set = (name: FilterName, value: string): void => {
    const next = new URLSearchParams(filters);
    if (value === "") next.delete(name);
    else next.set(name, value);
    onChange(next);
  };
  const desktop = filters.get("desktop") ?? "";
  const { desktops } = appState.value;
  return (
    <form class="audit-filters" aria-label={t`Filters`} onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span>{t`What`}</span>
        <select
          value={filters.get("types") ?? ""}
          onChange={(event) => set("types", event.currentTarget.value)}
        >
          <option value="">{t`Everything`}</option>
          {TYPE_GROUPS.map((group) => (
            <optgroup key={group.value} label={group.name}>
              <option value={group.value}>{t`${group.name}: all`}</option>
              {group.types.map(([type, words]) => (
                <option key={type} value={type}>
                  {words}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{t`Who`}</span>
        <input
          type="search"
          maxLength={200}
          placeholder={t`Part of a name or id`}
          value={filters.get("actor") ?? ""}
          onInput={(event) => set("actor", event.currentTarget.value.trim())}
        />
      </label>
      <label class="field">
        <span>{t`Desktop`}</span>
        <select value={desktop} onChange={(event) => set("desktop", event.currentTarget.value)}>
          <option value="">{t`Any`}</option>
          {desktop !== "" && !desktops.some(({ id }) => id === desktop) && (
            <option value={desktop}>{desktop}</option>
          )}
          {desktops.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TimeField label={t`From`} iso={filters.get("from")} onChange={(iso) => set("from", iso)} />
      <TimeField label={t`Until`} iso={filters.get("until")} onChange={(iso) => set("until", iso)} />
      {filters.size > 0 && (
        <button type="button" class="button" onClick={() => onChange(new URLSearchParams())}>
          {t`Clear`}
        </button>
      )}
    </form>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly iso: string | null;
  /** "": none. */
  readonly onChange: (iso: string) => void;
}

/** A moment by the clock of who looks. */
function TimeField({ label, iso, onChange }: TimeFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="datetime-local"
        value={iso === null ? "" : localTime(iso)}
        onChange={(event) => {
          const atMs = Date.parse(event.currentTarget.value);
          onChange(Number.isNaN(atMs) ? "" : new Date(atMs).toISOString());
        }}
      />
    </label>
  );
}

/** As a datetime-local field has it: "2026-11-25T21:30", without a zone. */
function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
