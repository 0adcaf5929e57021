import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { RecordingInfo, TimelineInfo } from "../../api.ts";
import { api } from "../api-client.ts";
import { attempt, complain, errorWords, inform } from "../notices.ts";
import { ExportMenu } from "../parts/export-menu.tsx";
import { Icon } from "../parts/icon.tsx";
import { OfflineBanner } from "../parts/offline-banner.tsx";
import { PlayerControls } from "../parts/player-controls.tsx";
import { PlayerHelp } from "../parts/player-help.tsx";
import { PlayerList } from "../parts/player-list.tsx";
import { PlayerTimeline } from "../parts/player-timeline.tsx";
import { SealMark } from "../parts/seal-mark.tsx";
import { VerifyButton } from "../parts/verify-button.tsx";
import { startOf } from "../player/playback.ts";
import { Player } from "../player/player.ts";
import { commandOf } from "../player/player-keys.ts";
import { timeFromHash } from "../player/player-time.ts";
import { viewerPath } from "../route.ts";
import { navigate } from "../router.ts";
import { desktopOf, may } from "../session.ts";
import { isTyping } from "../typing.ts";
import { playerCommands } from "./player-commands.ts";
import "../styles/viewer.css";
import "../styles/overlays.css";
import "../styles/player.css";

/** A timeline of a recording that grows is asked for anew this often. */
const TIMELINE_MS = 3000;

/** One recording: its picture, its lanes, what happened. */
export function PlayerPage({ recordingId }: { readonly recordingId: string }) {
  const loaded = useSignal<TimelineInfo | null>(null);
  const failure = useSignal<string | null>(null);
  useEffect(() => {
    api.timeline(recordingId).then(
      (timeline) => {
        loaded.value = timeline;
      },
      (error: unknown) => {
        failure.value = errorWords(error).message;
      },
    );
  }, [recordingId, loaded, failure]);
  if (loaded.value) return <LoadedPlayer key={recordingId} first={loaded.value} />;
  return (
    <main class="viewer-loading">
      {failure.value === null ? (
        <h1 class="visually-hidden">Recording</h1>
      ) : (
        <div class="card stage-card">
          <h1>The recording cannot be shown</h1>
          <p role="alert">{failure.value}</p>
          <a class="button button-primary" href="/recordings">
            All recordings
          </a>
        </div>
      )}
    </main>
  );
}

function LoadedPlayer({ first }: { readonly first: TimelineInfo }) {
  const { id } = first.recording;
  const page = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const player = useRef<Player | null>(null);
  const timeline = useSignal(first);
  const playback = useSignal(startOf(first.recording.duration_ms, first.recording.state === "recording"));
  const areOverlaysShown = useSignal(true);
  const isHelpShown = useSignal(false);
  const isPartial = useSignal(false);
  const query = useSignal("");

  useEffect(() => {
    if (!stage.current) return undefined;
    let nextTimelineMs = 0;
    const made = new Player(stage.current, {
      recording: first.recording,
      events: {
        playback: (now) => {
          playback.value = now;
        },
        shown: (atMs, frame) => {
          isPartial.value = frame.isPartial;
          // For whoever drives the page from outside: which moment is painted.
          if (stage.current) stage.current.dataset["positionMs"] = String(atMs);
        },
        grew: (isGrowing) => {
          if (isGrowing && performance.now() < nextTimelineMs) return;
          nextTimelineMs = performance.now() + TIMELINE_MS;
          api.timeline(id).then(
            (grown) => {
              timeline.value = grown;
              made.entries = grown.entries;
            },
            // Told by the next one, or by the player itself.
            () => {},
          );
        },
        failed: (error) => complain("Could not show this moment", error),
      },
    });
    player.current = made;
    made.entries = first.entries;
    const wanted = timeFromHash(location.hash);
    made.dispatch({ type: "seek", toMs: wanted ?? 0 });
    if (wanted === null && first.recording.state === "recording") made.dispatch({ type: "go_live" });
    // What is asked for at 0 is where a player stands already: it is painted all the same.
    made.refresh();
    const follow = (): void => {
      const toMs = timeFromHash(location.hash);
      if (toMs !== null) made.dispatch({ type: "seek", toMs });
    };
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("hashchange", follow);
      player.current = null;
      made.close();
    };
  }, [first, id, isPartial, playback, timeline]);

  useEffect(() => {
    if (player.current) player.current.areOverlaysShown = areOverlaysShown.value;
  }, [areOverlaysShown.value]);

  const run = playerCommands({
    player: () => player.current,
    entries: () => timeline.value.entries,
    page: () => page.current,
    search: () => search.current,
    toggleOverlays: () => {
      areOverlaysShown.value = !areOverlaysShown.value;
    },
    mark: () =>
      attempt(
        "Could not mark this moment",
        api.bookmark(id, "Marker").then(() => inform("Marked")),
      ),
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      if (event.key === "?") isHelpShown.value = true;
      else if (event.key === " " && event.target instanceof HTMLButtonElement) return;
      else {
        const command = commandOf(event);
        if (!command) return;
        run(command);
      }
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  const { recording, entries } = timeline.value;
  const seek = (toMs: number): void => player.current?.dispatch({ type: "seek", toMs });
  return (
    <div ref={page} class="player">
      <PlayerBar recording={recording} positionMs={playback.value.positionMs} />
      <OfflineBanner />
      <main class="player-main">
        <div ref={stage} class="stage" />
        {recording.counts.frames === 0 && <p class="player-note">No picture was recorded yet.</p>}
        {isPartial.value && (
          <p class="player-note" role="status">
            Parts of this picture are a moment older: they changed faster than is recorded.
          </p>
        )}
      </main>
      <PlayerList
        recording={recording}
        entries={entries}
        positionMs={playback.value.positionMs}
        query={query.value}
        search={search}
        onQuery={(text) => {
          query.value = text;
        }}
        onSeek={seek}
      />
      <footer class="player-foot">
        <PlayerTimeline
          recording={recording}
          timeline={timeline.value}
          playback={playback.value}
          onSeek={seek}
        />
        <PlayerControls
          playback={playback.value}
          areOverlaysShown={areOverlaysShown.value}
          onCommand={run}
          onSpeed={(speed) => player.current?.dispatch({ type: "speed", speed })}
        />
      </footer>
      {isHelpShown.value && (
        <PlayerHelp
          onClose={() => {
            isHelpShown.value = false;
          }}
        />
      )}
    </div>
  );
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function PlayerBar({
  recording,
  positionMs,
}: {
  readonly recording: RecordingInfo;
  readonly positionMs: number;
}) {
  const isLive = recording.state === "recording" && desktopOf(recording.desktop_id) !== undefined;
  return (
    <header class="viewer-bar">
      <a class="icon-button" href="/recordings" aria-label="All recordings" title="All recordings">
        <Icon shape="arrowLeft" />
      </a>
      <h1 class="viewer-name" title={recording.title}>
        {recording.title}
      </h1>
      <time class="muted player-day" dateTime={recording.started_at}>
        {DAY.format(new Date(recording.started_at))}
      </time>
      <SealMark state={recording.state} />
      <span class="bar-space" />
      {isLive && (
        <a class="button" href={viewerPath(recording.desktop_id)}>
          To the desktop
        </a>
      )}
      {!isLive && <VerifyButton recording={recording} />}
      {may("connections") && recording.state !== "recording" && (
        <button
          type="button"
          class="button"
          title="Show it as a desktop: for viewers, VNC, and what agents read"
          onClick={() =>
            attempt(
              "Could not open it as a desktop",
              api
                .openReplay(recording.id, positionMs)
                .then(({ desktop_id }) => navigate(viewerPath(desktop_id))),
            )
          }
        >
          <Icon shape="monitor" />
          <span>As a desktop</span>
        </button>
      )}
      <ExportMenu recording={recording} id="player" positionMs={positionMs} />
    </header>
  );
}
