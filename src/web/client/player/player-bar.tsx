import type { RecordingInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { locale, t } from "../language/language.ts";
import { ExportMenu } from "../recordings/export-menu.tsx";
import { nameOf } from "../recordings/recording-name.ts";
import { SealMark } from "../recordings/seal-mark.tsx";
import { VerifyButton } from "../recordings/verify-button.tsx";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import { viewerPath } from "../shell/route.ts";
import { navigate } from "../shell/router.ts";
import { desktopOf, may } from "../shell/session.ts";

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

export interface PlayerBarProps {
  readonly recording: RecordingInfo;
  readonly positionMs: number;
  readonly onNote: () => void;
}

/** Which recording this is, whether it can be trusted, and what can be made of it. */
export function PlayerBar({ recording, positionMs, onNote }: PlayerBarProps) {
  const isLive = recording.state === "recording" && desktopOf(recording.desktop_id) !== undefined;
  return (
    <header class="viewer-bar">
      <a class="icon-button" href="/recordings" aria-label={t`All recordings`} title={t`All recordings`}>
        <Icon shape="arrowLeft" />
      </a>
      <h1 class="viewer-name" title={recording.notes ?? recording.title}>
        {nameOf(recording)}
      </h1>
      <IconButton icon="pencil" label={t`Name and notes`} onClick={onNote} />
      <time class="muted player-day" dateTime={recording.started_at}>
        {DAY.format(new Date(recording.started_at))}
      </time>
      <SealMark state={recording.state} />
      <span class="bar-space" />
      {isLive && (
        <a class="button" href={viewerPath(recording.desktop_id)}>
          <Icon shape="monitor" />
          <span>{t`To the desktop`}</span>
        </a>
      )}
      {!isLive && <VerifyButton recording={recording} />}
      {may("connections") && recording.state !== "recording" && (
        <button
          type="button"
          class="button"
          title={t`Show it as a desktop: for viewers, VNC, and what agents read`}
          onClick={() =>
            attempt(
              t`Could not open it as a desktop`,
              api
                .openReplay(recording.id, positionMs)
                .then(({ desktop_id }) => navigate(viewerPath(desktop_id))),
            )
          }
        >
          <Icon shape="monitor" />
          <span>{t`As a desktop`}</span>
        </button>
      )}
      <ExportMenu recording={recording} id="player" positionMs={positionMs} />
    </header>
  );
}
