import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { TimelineInfo } from "../../api/api.ts";
import { KeysDialog } from "../controls/keys-dialog.tsx";
import { t } from "../language/language.ts";
import { MarkerDialog, NoteDialog } from "../recordings/note-dialogs.tsx";
import { api } from "../shell/api-client.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { isTyping } from "../shell/keyboard-focus.ts";
import { durationWords } from "../shell/labels.ts";
import { attempt, type ErrorWords, errorWords, showError, showNotice } from "../shell/notices.ts";
import { OfflineBanner } from "../shell/offline-banner.tsx";
import { indexAt, type Span } from "./moments.ts";
import { type PlaybackEvent, startOf } from "./playback.ts";
import { Player } from "./player.ts";
import { PlayerBar } from "./player-bar.tsx";
import { playerCommands } from "./player-commands.ts";
import { PlayerControls } from "./player-controls.tsx";
import { commandOf, PLAYER_SHORTCUTS } from "./player-keys.ts";
import { PlayerList } from "./player-list.tsx";
import { hashOfTime, timeFromHash } from "./player-time.ts";
import { PlayerTimeline } from "./player-timeline.tsx";
import { isGone } from "./recording-address.ts";
import { useTextHits } from "./text-hits.ts";
import { entryWords, gapAt, listRows } from "./track-words.ts";
import "../styles/viewer.css";
import "../styles/overlays.css";
import "../styles/player/player.css";

/** A timeline of a recording that grows is asked for anew this often. */
const TIMELINE_MS = 3000;
/** How long it is said that something was skipped. */
const SKIPPED_MS = 1800;
/** The address follows a player that stands still for so long. */
const ADDRESS_MS = 400;

/** The longer an answer takes, the more seldom it is asked for: the timeline of hours is much work for the server. */
function waitAfter(askedMs: number): number {
  const nowMs = performance.now();
  return nowMs + Math.max(TIMELINE_MS, 10 * (nowMs - askedMs));
}

const NOTHING_SKIPPED: readonly Span[] = [];

/** One recording: its picture, its lanes, what happened. */
export function PlayerPage({ recordingId }: { readonly recordingId: string }) {
  const loaded = useSignal<TimelineInfo | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const load = (): void => {
    failure.value = null;
    api.timeline(recordingId).then(
      (timeline) => {
        loaded.value = timeline;
      },
      (error: unknown) => {
        failure.value = errorWords(error);
      },
    );
  };
  useEffect(load, [recordingId, loaded, failure]);
  const onGone = (error: unknown): void => {
    loaded.value = null;
    failure.value = errorWords(error);
  };
  if (loaded.value) return <LoadedPlayer key={recordingId} first={loaded.value} onGone={onGone} />;
  return (
    <main class="viewer-loading">
      <h1 class="visually-hidden">{t`Recording`}</h1>
      {failure.value && (
        <div class="player-failure">
          <FailureCard title={t`The recording cannot be shown`} words={failure.value} onRetry={load} />
          <a href="/recordings">{t`All recordings`}</a>
        </div>
      )}
    </main>
  );
}

interface LoadedPlayerProps {
  readonly first: TimelineInfo;
  /** It was deleted while it was looked at. */
  readonly onGone: (error: unknown) => void;
}

function LoadedPlayer({ first, onGone }: LoadedPlayerProps) {
  const { id } = first.recording;
  const page = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const player = useRef<Player | null>(null);
  const timeline = useSignal(first);
  const playback = useSignal(startOf(first.recording.duration_ms, first.recording.state === "recording"));
  const idle = useSignal(NOTHING_SKIPPED);
  const skippedMs = useSignal<number | null>(null);
  const areOverlaysShown = useSignal(true);
  const isHelpShown = useSignal(false);
  const isPartial = useSignal(false);
  const hasPlayed = useSignal(false);
  const query = useSignal(new URLSearchParams(location.search).get("find") ?? "");
  const hits = useTextHits(id, query.value);
  const isNoteShown = useSignal(false);
  /** The moment that is about to be marked. */
  const markedMs = useSignal<number | null>(null);
  const said = useSignal("");
  const dispatch = (event: PlaybackEvent): void => player.current?.dispatch(event);

  useEffect(() => {
    if (!stage.current) return undefined;
    let nextTimelineMs = 0;
    let skippedTimer = 0;
    const made = new Player(stage.current, {
      recording: first.recording,
      events: {
        playback: (now) => {
          playback.value = now;
          if (now.isPlaying) hasPlayed.value = true;
        },
        shown: (atMs, frame) => {
          isPartial.value = frame.isPartial;
          // For whoever drives the page from outside: which moment is painted.
          if (stage.current) stage.current.dataset["positionMs"] = String(atMs);
        },
        grew: (isGrowing) => {
          const askedMs = performance.now();
          if (isGrowing && askedMs < nextTimelineMs) return;
          // Not before this one has come.
          nextTimelineMs = isGrowing ? Number.POSITIVE_INFINITY : 0;
          api.timeline(id).then(
            (grown) => {
              nextTimelineMs = waitAfter(askedMs);
              timeline.value = grown;
              made.entries = grown.entries;
            },
            // Told by the next one, or by the player itself.
            () => {
              nextTimelineMs = waitAfter(askedMs);
            },
          );
        },
        skipped: ({ fromMs, toMs }) => {
          skippedMs.value = toMs - fromMs;
          clearTimeout(skippedTimer);
          skippedTimer = setTimeout(() => {
            skippedMs.value = null;
          }, SKIPPED_MS);
        },
        idle: (spans) => {
          idle.value = spans;
        },
        failed: (error) => {
          if (isGone(error)) onGone(error);
          else showError(t`Could not show this moment`, error);
        },
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
      clearTimeout(skippedTimer);
      player.current = null;
      made.close();
    };
  }, [first, id, idle, isPartial, playback, skippedMs, timeline, hasPlayed]);

  const reload = (): void =>
    attempt(
      t`Could not look at the recording again`,
      api.timeline(id).then((read) => {
        timeline.value = read;
        if (player.current) player.current.entries = read.entries;
      }),
    );

  useEffect(() => {
    if (player.current) player.current.areOverlaysShown = areOverlaysShown.value;
  }, [areOverlaysShown.value]);
  useEffect(() => {
    if (player.current) player.current.words = query.value.trim();
  }, [query.value]);

  const { isPlaying, isSkippingIdle, positionMs } = playback.value;
  // Whoever copies the address of a player that stands still gets a link to what it shows.
  useEffect(() => {
    if (isPlaying) return undefined;
    const { pathname } = location;
    const timer = setTimeout(() => {
      // While the next page is loaded this one is still there, and the address is that page's already.
      if (location.pathname !== pathname) return;
      if (timeFromHash(location.hash) !== Math.round(positionMs) && (positionMs > 0 || location.hash !== ""))
        history.replaceState(null, "", hashOfTime(positionMs));
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, positionMs]);

  const run = playerCommands({
    player: () => player.current,
    entries: () => timeline.value.entries,
    hits: () => hits.value,
    page: () => page.current,
    search: () => search.current,
    toggleOverlays: () => {
      areOverlaysShown.value = !areOverlaysShown.value;
    },
    say: (words) => {
      said.value = words;
    },
    mark: () =>
      attempt(
        t`Could not mark this moment`,
        api.bookmark(id, t`Marker`).then(() => showNotice(t`Marked`)),
      ),
    markAt: (ms) => {
      markedMs.value = ms;
    },
  });
  useEffect(() => {
    /** A button that keys went to takes its Space; one that a hand has clicked leaves it to the player. */
    let clicked: Element | null = null;
    const onClick = ({ target, detail }: MouseEvent): void => {
      clicked = detail > 0 && target instanceof Element ? target.closest("button") : null;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Tab") clicked = null;
      if (isTyping(event)) return;
      if (event.key === "?") isHelpShown.value = true;
      else if (event.key === " " && event.target instanceof HTMLButtonElement && event.target !== clicked) {
        return;
      } else {
        const command = commandOf(event);
        if (!command) return;
        // Or the button would be pressed when the key comes up.
        if (event.key === " " && clicked instanceof HTMLElement) clicked.blur();
        run(command);
      }
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    // Before the click is acted on: what was pressed may be drawn anew by that.
    addEventListener("click", onClick, true);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("click", onClick, true);
    };
  }, []);
  useEffect(() => {
    // As in other players: the picture is a button for the hand; keys have theirs.
    const picture = stage.current;
    const toggle = (): void => run({ kind: "toggle" });
    const enlarge = (): void => run({ kind: "full_screen" });
    picture?.addEventListener("click", toggle);
    picture?.addEventListener("dblclick", enlarge);
    return () => {
      picture?.removeEventListener("click", toggle);
      picture?.removeEventListener("dblclick", enlarge);
    };
  }, []);

  const { recording, entries } = timeline.value;
  const listed = useMemo(() => listRows(entries), [entries]);
  const times = useMemo(() => listed.map(({ at_ms }) => at_ms), [listed]);
  const current = listed[indexAt(times, positionMs)] ?? null;
  const gap = gapAt(entries, positionMs);
  const isIdle = useIdle(isPlaying);
  return (
    <div ref={page} class={`player ${isIdle.value ? "is-quiet" : ""}`}>
      <PlayerBar
        recording={recording}
        positionMs={positionMs}
        onNote={() => {
          isNoteShown.value = true;
        }}
      />
      <OfflineBanner />
      <main class="player-main">
        <div ref={stage} class="stage" />
        {!hasPlayed.value && positionMs === 0 && recording.counts.frames > 0 && (
          <span class="player-start" aria-hidden="true" />
        )}
        {recording.counts.frames === 0 && <p class="player-note">{t`No picture was recorded yet.`}</p>}
        {(gap || isPartial.value) && (
          <p class="player-note" role="status">
            {gap
              ? `${entryWords(gap)} · ${durationWords(gap.until_ms - gap.at_ms)}`
              : t`Parts of this picture are a moment older: they changed faster than is recorded.`}
          </p>
        )}
        <p class="player-skipped" role="status">
          {skippedMs.value !== null && <span>{t`Skipped ${durationWords(skippedMs.value)}`}</span>}
        </p>
        <p class="visually-hidden player-said" role="status">
          {said.value}
        </p>
      </main>
      <footer class="player-foot">
        <PlayerTimeline
          recording={recording}
          timeline={timeline.value}
          hits={hits.value}
          playback={playback.value}
          skipped={isSkippingIdle ? idle.value : NOTHING_SKIPPED}
          current={current}
          onPlayback={dispatch}
        />
        <PlayerControls
          playback={playback.value}
          startedAt={recording.started_at}
          areOverlaysShown={areOverlaysShown.value}
          onCommand={run}
          onSpeed={(speed) => dispatch({ type: "speed", speed })}
          onHelp={() => {
            isHelpShown.value = true;
          }}
        />
      </footer>
      <PlayerList
        recording={recording}
        entries={listed}
        current={current}
        query={query.value}
        hits={hits.value}
        positionMs={positionMs}
        onHit={(by) => run({ kind: "hit", by })}
        search={search}
        onQuery={(text) => {
          query.value = text;
        }}
        onSeek={(toMs) => dispatch({ type: "seek", toMs })}
        onUnmark={(markerId) =>
          attempt(t`Could not remove the marker`, api.removeMarker(id, markerId).then(reload))
        }
      />
      {isNoteShown.value && (
        <NoteDialog
          recording={recording}
          onSaved={reload}
          onClose={() => {
            isNoteShown.value = false;
          }}
        />
      )}
      {markedMs.value !== null && (
        <MarkerDialog
          recordingId={id}
          atMs={markedMs.value}
          onSaved={reload}
          onClose={() => {
            markedMs.value = null;
          }}
        />
      )}
      {isHelpShown.value && (
        <KeysDialog
          keys={PLAYER_SHORTCUTS}
          onClose={() => {
            isHelpShown.value = false;
          }}
        />
      )}
    </div>
  );
}

/** Controls step back when nobody has touched anything for so long. */
const IDLE_AFTER_MS = 2500;

/** True while `isWatching` and neither pointer nor keyboard has been used for a while. */
function useIdle(isWatching: boolean): Signal<boolean> {
  const isIdle = useSignal(false);
  useEffect(() => {
    isIdle.value = false;
    if (!isWatching) return undefined;
    let timer = 0;
    const stir = (): void => {
      clearTimeout(timer);
      isIdle.value = false;
      timer = setTimeout(() => {
        isIdle.value = true;
      }, IDLE_AFTER_MS);
    };
    stir();
    const kinds = ["pointermove", "pointerdown", "keydown"] as const;
    for (const kind of kinds) addEventListener(kind, stir);
    return () => {
      clearTimeout(timer);
      for (const kind of kinds) removeEventListener(kind, stir);
    };
  }, [isWatching, isIdle]);
  return isIdle;
}
