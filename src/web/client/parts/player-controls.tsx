import type { Playback, Speed } from "../player/playback.ts";
import { SPEEDS } from "../player/playback.ts";
import type { PlayerCommand } from "../player/player-keys.ts";
import { timeWords } from "../player/player-time.ts";
import { Icon } from "./icon.tsx";
import { IconButton } from "./icon-button.tsx";

export interface PlayerControlsProps {
  readonly playback: Playback;
  readonly areOverlaysShown: boolean;
  readonly onCommand: (command: PlayerCommand) => void;
  readonly onSpeed: (speed: Speed) => void;
}

/** Play, step, speed: everything a key does, for the hand. */
export function PlayerControls({ playback, areOverlaysShown, onCommand, onSpeed }: PlayerControlsProps) {
  const { isPlaying, isGrowing, isLive, positionMs, durationMs, speed, isSkippingIdle } = playback;
  return (
    <div class="player-controls" role="toolbar" aria-label="Player">
      <IconButton
        icon="skipBack"
        label="Previous action"
        shortcut="P"
        onClick={() => onCommand({ kind: "action", by: -1 })}
      />
      <IconButton
        icon="frameBack"
        label="Previous frame"
        shortcut=","
        class="wide-only"
        onClick={() => onCommand({ kind: "frame", by: -1 })}
      />
      <button
        type="button"
        class="button button-primary play-button"
        aria-label={isPlaying ? "Pause" : "Play"}
        title={`${isPlaying ? "Pause" : "Play"} (Space)`}
        onClick={() => onCommand({ kind: "toggle" })}
      >
        <Icon shape={isPlaying ? "pause" : "play"} />
      </button>
      <IconButton
        icon="frameOn"
        label="Next frame"
        shortcut="."
        class="wide-only"
        onClick={() => onCommand({ kind: "frame", by: 1 })}
      />
      <IconButton
        icon="skipOn"
        label="Next action"
        shortcut="N"
        onClick={() => onCommand({ kind: "action", by: 1 })}
      />
      <span class="player-time">
        <span class="player-now">{timeWords(positionMs, true)}</span>
        <span class="muted"> / {timeWords(durationMs)}</span>
      </span>
      {isGrowing && (
        <button
          type="button"
          class={`button live-button ${isLive ? "is-live" : ""}`}
          aria-pressed={isLive}
          title="Follow what happens now (End)"
          onClick={() => onCommand({ kind: "end" })}
        >
          <span class="dot" aria-hidden="true" />
          <span>Live</span>
        </button>
      )}
      {isGrowing && (
        <IconButton
          icon="bookmark"
          label="Mark this moment"
          shortcut="M"
          onClick={() => onCommand({ kind: "mark" })}
        />
      )}
      <span class="bar-space" />
      <select
        aria-label="Speed"
        title="Speed (< >)"
        value={String(speed)}
        onChange={(event) => {
          const wanted = SPEEDS.find((known) => String(known) === event.currentTarget.value);
          if (wanted !== undefined) onSpeed(wanted);
        }}
      >
        {SPEEDS.map((known) => (
          <option key={known} value={String(known)}>
            {known}×
          </option>
        ))}
      </select>
      <IconButton
        icon="chevronsRight"
        label="Skip what is idle"
        shortcut="I"
        isPressed={isSkippingIdle}
        onClick={() => onCommand({ kind: "skip_idle" })}
      />
      <IconButton
        icon="layers"
        label="Overlays"
        shortcut="O"
        isPressed={areOverlaysShown}
        onClick={() => onCommand({ kind: "overlays" })}
      />
      <IconButton
        icon="link"
        label="Copy a link to this moment"
        shortcut="C"
        class="wide-only"
        onClick={() => onCommand({ kind: "copy_link" })}
      />
      <IconButton
        icon="maximize"
        label="Full screen"
        shortcut="F"
        class="wide-only"
        onClick={() => onCommand({ kind: "full_screen" })}
      />
    </div>
  );
}
