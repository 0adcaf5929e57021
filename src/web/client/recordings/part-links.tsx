import type { RecordingInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import type { Playback } from "../player/playback.ts";
import { durationWords } from "../shell/labels.ts";
import { playerPath } from "../shell/route.ts";
import { navigate } from "../shell/router.ts";

/** In the address: it plays at once, for the part before it was played to its end. */
const PLAYED_ON = "?play";

/** What the other nodes of a fleet recorded before and after their desktop was here, and what nobody did. */
export function PartLinks({ recording }: { readonly recording: RecordingInfo }) {
  const { continues, continued_by: next, started_at, duration_ms } = recording;
  return (
    <>
      {continues && (
        <p class="muted player-notes">
          <a href={playerPath(continues.id)}>{t`Earlier part, at ${continues.node}`}</a>
          {missingWords(Date.parse(started_at) - Date.parse(continues.ended_at ?? ""))}
        </p>
      )}
      {next && (
        <p class="muted player-notes">
          <a href={playerPath(next.id)}>{t`Next part, at ${next.node}`}</a>
          {missingWords(Date.parse(next.started_at) - Date.parse(started_at) - duration_ms)}
        </p>
      )}
    </>
  );
}

/** Nothing where that is not known. */
function missingWords(gapMs: number): string {
  return gapMs > 0 ? t`, ${durationWords(gapMs)} between them were not recorded` : "";
}

/** Goes on with the next part where this one was just played to its end. */
export function playOn(before: Playback, now: Playback, { continued_by: next }: RecordingInfo): void {
  const isAtEnd = before.isPlaying && !now.isPlaying && now.positionMs === now.durationMs;
  if (isAtEnd && next) navigate(playerPath(next.id, PLAYED_ON));
}

export function isPlayedOn(): boolean {
  return location.search === PLAYED_ON;
}
