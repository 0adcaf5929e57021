import { counted, rich, t } from "../language/language.ts";
import "../styles/recordings.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RecordingInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { api } from "../shell/api-client.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { sizeWords } from "../shell/labels.ts";
import { type ErrorWords, errorWords } from "../shell/notices.ts";
import { appState, me } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { FoundWords, useFoundWords } from "./found-words.tsx";
import { RecordingRow } from "./recording-row.tsx";

const SHOWN = ["all", "running", "problems"] as const;
const SHOWN_WORDS = { all: t`All`, running: t`Running`, problems: t`Not sealed or tampered` } as const;

/** Every recording: found, looked into, verified, exported, deleted. */
export function RecordingsPage() {
  const recordings = useSignal<readonly RecordingInfo[] | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const query = useSignal("");
  const shown = useSignal<(typeof SHOWN)[number]>("all");
  const load = (): void => {
    api.recordings().then(
      (list) => {
        recordings.value = list;
        failure.value = null;
      },
      (error: unknown) => {
        failure.value = errorWords(error);
      },
    );
  };
  // Begins and ends are told with the desktops; what nobody tells is found by the next visit.
  const running = appState.value.desktops.map(({ recording_id }) => recording_id).join();
  useEffect(load, [running]);

  const wanted = query.value.trim().toLowerCase();
  const list = (recordings.value ?? []).filter(
    (recording) =>
      isWanted(recording, shown.value) &&
      `${recording.name ?? ""} ${recording.notes ?? ""} ${recording.title} ${recording.started_by} ${recording.started_at} ${recording.id}`
        .toLowerCase()
        .includes(wanted),
  );
  const found = useFoundWords(query.value).value;
  const hasWords = found !== null && found.hits.length + found.unread > 0;
  const isAdmin = me.value?.permissions.includes("admin") ?? false;
  const isEmpty = recordings.value?.length === 0;
  return (
    <Shell>
      <div class="page page-wide recordings-page">
        <div class="page-head">
          <h1>{t`Recordings`}</h1>
          {list.length > 0 && (
            <span class="muted">
              {counted(list.length, t`# recording|# recordings`)},{" "}
              {sizeWords(list.reduce((sum, { bytes }) => sum + bytes, 0))}
            </span>
          )}
          {!isEmpty && (
            <>
              <select
                aria-label={t`Which recordings`}
                value={shown.value}
                onChange={(event) => {
                  shown.value = SHOWN.find((name) => name === event.currentTarget.value) ?? "all";
                }}
              >
                {SHOWN.map((name) => (
                  <option key={name} value={name}>
                    {SHOWN_WORDS[name]}
                  </option>
                ))}
              </select>
              <SearchField label={t`Find recordings, and words in them`} query={query} />
            </>
          )}
        </div>
        {failure.value && (
          <FailureCard title={t`The recordings cannot be listed`} words={failure.value} onRetry={load} />
        )}
        {isEmpty && (
          <div class="empty">
            <Icon shape="film" />
            <p>{t`No recordings yet.`}</p>
            <p class="muted">
              {rich`Press Record in a desktop, or set ${<code>recording.policy: on_agent_activity</code>}.`}
            </p>
          </div>
        )}
        {!isEmpty && recordings.value && list.length === 0 && !hasWords && (
          <div class="empty">
            <Icon shape="search" />
            <p>{t`No recording is as you wish.`}</p>
            <button
              type="button"
              class="button"
              onClick={() => {
                query.value = "";
                shown.value = "all";
              }}
            >
              {t`Show all`}
            </button>
          </div>
        )}
        <ul class="recordings" aria-label={t`Recordings`} aria-busy={!recordings.value}>
          {list.map((recording) => (
            <RecordingRow key={recording.id} recording={recording} mayRemove={isAdmin} onChanged={load} />
          ))}
        </ul>
        {hasWords && <FoundWords found={found} query={query.value} />}
      </div>
    </Shell>
  );
}

function isWanted({ state }: RecordingInfo, shown: (typeof SHOWN)[number]): boolean {
  switch (shown) {
    case "all":
      return true;
    case "running":
      return state === "recording";
    case "problems":
      return state === "unsealed" || state === "tampered";
  }
}
