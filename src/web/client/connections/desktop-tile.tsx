import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DesktopInfo } from "../../api/api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { StateMark } from "../controls/state-mark.tsx";
import { counted, t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { spanWords } from "../shell/countdown.ts";
import { MODE_WORDS, originWords, stateReason } from "../shell/labels.ts";
import { attempt } from "../shell/notices.ts";
import { viewerPath } from "../shell/route.ts";
import { appState, isOnline, may, mayInvite, now } from "../shell/session.ts";
import { thumbnailAddress } from "../viewer/screenshot-address.ts";
import { shortName } from "./desktop-groups.ts";
import { Thumbnail } from "./thumbnail.ts";

/** One desktop on the first page. */
export function DesktopTile({
  desktop,
  onEdit,
  onInvite,
}: {
  readonly desktop: DesktopInfo;
  readonly onEdit: (desktop: DesktopInfo) => void;
  readonly onInvite: (desktop: DesktopInfo) => void;
}) {
  const { cards, requests } = appState.value;
  const waiting =
    cards.filter((card) => card.settledAtMs === null && card.approval.desktop_id === desktop.id).length +
    requests.filter((request) => request.desktop_id === desktop.id).length;
  const isRemoving = useSignal(false);
  return (
    <li class="tile" aria-label={desktop.name}>
      <div class="tile-picture">
        {desktop.width > 0 ? (
          <LivePicture desktop={desktop} />
        ) : (
          <div class="tile-empty">
            <Icon shape={desktop.state.kind === "failed" ? "monitorOff" : "monitor"} />
            <p>{stateReason(desktop.state)}</p>
          </div>
        )}
        {waiting > 0 && (
          <span class="tile-waiting">{counted(waiting, t`# question waits|# questions wait`)}</span>
        )}
      </div>
      <div class="tile-words">
        <h2>
          <a href={viewerPath(desktop.id)} title={desktop.name}>
            {shortName(desktop)}
          </a>
        </h2>
        <StateMark desktop={desktop} />
        <p class="muted tile-facts">
          <span>{originWords(desktop)}</span>
          <span>{MODE_WORDS[desktop.mode].name}</span>
          {desktop.agents.length > 0 && <span>{desktop.agents.join(", ")}</span>}
          {desktop.recording_id !== null && <span class="tone-bad">{t`Recording`}</span>}
          {desktop.state.kind !== "live" && desktop.last_connected !== null && (
            <span>{t`Last connected ${agoWords(desktop.last_connected)}`}</span>
          )}
          {desktop.viewers > 0 && <span>{counted(desktop.viewers, t`# viewer|# viewers`)}</span>}
        </p>
      </div>
      <div class="tile-tools">
        {mayInvite(desktop) && (
          <IconButton
            icon="userPlus"
            label={t`Invite a guest to ${desktop.name}`}
            onClick={() => onInvite(desktop)}
          />
        )}
        {may("connections") && (
          <>
            {desktop.protocol !== "demo" && desktop.protocol !== "replay" && (
              <IconButton icon="pencil" label={t`Edit ${desktop.name}`} onClick={() => onEdit(desktop)} />
            )}
            <IconButton
              icon="trash"
              label={t`Remove ${desktop.name}`}
              onClick={() => {
                isRemoving.value = true;
              }}
            />
          </>
        )}
      </div>
      {isRemoving.value && (
        <ConfirmDialog
          title={t`Remove “${desktop.name}”?`}
          action={t`Remove`}
          onConfirm={() => attempt(t`Could not remove the desktop`, api.removeDesktop(desktop.id))}
          onClose={() => {
            isRemoving.value = false;
          }}
        >
          <p>
            {t`Its connection is forgotten, and who watches it is sent away. The computer itself is not touched.`}
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}

function agoWords(at: string): string {
  return t`${spanWords(Math.max(1, (now.value - Date.parse(at)) / 1000))} ago`;
}

function LivePicture({ desktop }: { readonly desktop: DesktopInfo }) {
  const image = useRef<HTMLImageElement>(null);
  const { id, width, height } = desktop;
  useEffect(() => {
    const element = image.current;
    if (!element) return undefined;
    const thumbnail = new Thumbnail(element, () =>
      thumbnailAddress(id, { width, height }, element.clientWidth * devicePixelRatio),
    );
    return () => thumbnail.close();
  }, [id, width, height]);
  const isStale = desktop.state.kind !== "live" || !isOnline.value;
  return <img ref={image} class={isStale ? "is-stale" : ""} alt={t`The screen of ${desktop.name}`} />;
}
