import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ReplayStateInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { t } from "../language/language.ts";
import { SPEEDS } from "../player/playback.ts";
import { spokenTime, timeWords } from "../player/player-time.ts";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import { isOnline } from "../shell/session.ts";
import "../styles/replay.css";

/** Others steer it as well: it is asked where it is so often, sooner while it plays. */
const STILL_MS = 3000;
const PLAYING_MS = 500;

/** Plays and seeks a recording that is shown as a desktop, for all who watch it. */
export function ReplayBar({ desktopId }: { readonly desktopId: string }) {
  const replay = useSignal<ReplayStateInfo | null>(null);
  /** Where the hand holds the slider; null: nowhere. */
  const heldMs = useSignal<number | null>(null);
  /** Counts what was steered: an answer that was asked for before tells of a moment that is left. */
  const steers = useRef(0);
  const isPlaying = replay.value?.is_playing === true;
  useEffect(() => {
    let timer = 0;
    let isOver = false;
    const ask = (): void => {
      const asked = steers.current;
      api
        .replay(desktopId)
        .then(
          (told) => {
            if (!isOver && asked === steers.current) replay.value = told;
          },
          // The page says itself that the server is not there; what else fails is tried again.
          () => undefined,
        )
        .finally(() => {
          // Until the recording is open its length is 0, and there is nothing to steer.
          const isSoon = isPlaying || !replay.peek()?.duration_ms;
          if (!isOver) timer = setTimeout(ask, isSoon ? PLAYING_MS : STILL_MS);
        });
    };
    ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [desktopId, isPlaying, replay]);
  const told = replay.value;
  if (told === null) return null;
  const steer = (change: Parameters<typeof api.steerReplay>[1]): void => {
    const nth = ++steers.current;
    const steered = api
      .steerReplay(desktopId, change)
      .then((now) => {
        if (nth === steers.current) replay.value = now;
      })
      .finally(() => {
        // Where it failed the slider goes back to where the recording is.
        if (nth === steers.current) heldMs.value = null;
      });
    attempt(t`Could not steer the recording`, steered);
  };
  const atMs = heldMs.value ?? told.at_ms;
  const isAtEnd = told.at_ms >= told.duration_ms;
  return (
    <div class="replay-bar" role="toolbar" aria-label={t`Recording`}>
      <button
        type="button"
        class="button button-primary play-button"
        disabled={!isOnline.value}
        aria-label={isPlaying ? t`Pause` : t`Play`}
        title={isPlaying ? t`Pause` : t`Play`}
        onClick={() =>
          steer(isPlaying ? { is_playing: false } : { is_playing: true, ...(isAtEnd ? { at_ms: 0 } : {}) })
        }
      >
        <Icon shape={isPlaying ? "pause" : "play"} />
      </button>
      <span class="replay-words" role="status">
        {isPlaying ? t`Playing` : t`Frozen at ${timeWords(told.at_ms)}`}
      </span>
      <input
        type="range"
        class="replay-slider"
        aria-label={t`Position in the recording`}
        aria-valuetext={spokenTime(atMs)}
        min={0}
        max={told.duration_ms}
        step={100}
        value={atMs}
        onInput={(event) => {
          heldMs.value = event.currentTarget.valueAsNumber;
        }}
        onChange={(event) => steer({ at_ms: event.currentTarget.valueAsNumber })}
      />
      <span class="replay-time">
        {timeWords(atMs)}
        <span class="muted"> / {timeWords(told.duration_ms)}</span>
      </span>
      <select
        aria-label={t`Speed`}
        title={t`Speed`}
        value={String(told.speed)}
        onChange={(event) => steer({ speed: Number(event.currentTarget.value) })}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
    </div>
  );
}
