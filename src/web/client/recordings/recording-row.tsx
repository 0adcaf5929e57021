import { useSignal } from "@preact/signals";
import type { RecordingInfo } from "../../api/api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { counted, locale, t } from "../language/language.ts";
import { timeWords } from "../player/player-time.ts";
import { frameAddress } from "../player/recording-address.ts";
import { api } from "../shell/api-client.ts";
import { sizeWords } from "../shell/labels.ts";
import { attempt } from "../shell/notices.ts";
import { playerPath } from "../shell/route.ts";
import { ExportMenu } from "./export-menu.tsx";
import { nameOf } from "./recording-name.ts";
import { SealMark } from "./seal-mark.tsx";
import { VerifyButton } from "./verify-button.tsx";

export interface RecordingRowProps {
  readonly recording: RecordingInfo;
  readonly mayRemove: boolean;
  /** Something of it changed on the server. */
  readonly onChanged: () => void;
}

const WHEN = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const THUMBNAIL_WIDTH = 192;

const REASONS = {
  always: t`every desktop is recorded`,
  agent_activity: t`an agent was at work`,
} as const;

const ARCHIVE = {
  local: t`not archived yet`,
  uploading: t`being archived`,
  archived: t`archived`,
  archive_only: t`in the archive`,
  failed: t`archiving failed`,
} as const;

/** One recording of the list. */
export function RecordingRow({ recording, mayRemove, onChanged }: RecordingRowProps) {
  const { id, counts } = recording;
  const title = nameOf(recording);
  const isRunning = recording.state === "recording";
  const stop = (): void => attempt(t`Could not stop`, api.stopRecording(id).then(onChanged));
  const isRemoving = useSignal(false);
  return (
    <li class="recording">
      <div class="recording-picture">
        {counts.frames > 0 && (
          <img
            loading="lazy"
            src={frameAddress(id, {
              atMs: isRunning ? recording.duration_ms : recording.duration_ms / 3,
              maxWidth: THUMBNAIL_WIDTH * 2,
            })}
            width={THUMBNAIL_WIDTH}
            height={120}
            alt=""
          />
        )}
        <span class="recording-length">{timeWords(recording.duration_ms)}</span>
      </div>
      <div class="recording-words">
        <h2>
          <a href={playerPath(id)}>{title}</a>
        </h2>
        <p>
          <time dateTime={recording.started_at}>{WHEN.format(new Date(recording.started_at))}</time>{" "}
          <SealMark state={recording.state} />
        </p>
        {recording.notes !== null && <p class="recording-notes">{recording.notes}</p>}
        <p class="muted recording-facts">
          {recording.name !== null && <span>{recording.title}</span>}
          <span>
            {recording.reason === "manual"
              ? t`started by ${recording.started_by}`
              : REASONS[recording.reason]}
          </span>
          <span>{counted(counts.actions, t`# action|# actions`)}</span>
          {counts.approvals > 0 && <span>{counted(counts.approvals, t`# approval|# approvals`)}</span>}
          {counts.bookmarks > 0 && <span>{counted(counts.bookmarks, t`# marker|# markers`)}</span>}
          {recording.width > 0 && (
            <span>
              {recording.width} × {recording.height}
            </span>
          )}
          <span>{sizeWords(recording.bytes)}</span>
          {recording.is_encrypted && <span>{t`encrypted`}</span>}
          {recording.archive && (
            <span title={recording.archive.problem ?? undefined}>{ARCHIVE[recording.archive.state]}</span>
          )}
        </p>
      </div>
      <div class="recording-tools">
        {isRunning ? (
          <button type="button" class="button" onClick={stop}>
            <Icon shape="square" />
            <span>{t`Stop`}</span>
          </button>
        ) : (
          <VerifyButton recording={recording} />
        )}
        <ExportMenu recording={recording} id={id} positionMs={null} />
        {mayRemove && (
          <IconButton
            icon="trash"
            label={t`Delete the recording of ${title}`}
            onClick={() => {
              isRemoving.value = true;
            }}
          />
        )}
      </div>
      {isRemoving.value && (
        <ConfirmDialog
          title={t`Delete the recording of “${title}”?`}
          action={t`Delete`}
          onConfirm={() =>
            attempt(t`Could not delete the recording`, api.removeRecording(id).then(onChanged))
          }
          onClose={() => {
            isRemoving.value = false;
          }}
        >
          <p>{t`It is from ${WHEN.format(new Date(recording.started_at))}, and cannot be brought back.`}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
