import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "../controls/icon.tsx";
import { IconButton, type IconButtonProps } from "../controls/icon-button.tsx";
import type { IconShape } from "../controls/icon-shapes.ts";
import { locale, t } from "../language/language.ts";
import type { Playback, Speed } from "./playback.ts";
import { SPEEDS } from "./playback.ts";
import type { PlayerCommand } from "./player-keys.ts";
import { spokenTime, timeWords } from "./player-time.ts";

export interface PlayerControlsProps {
  readonly playback: Playback;
  /** ISO 8601, of position 0. */
  readonly startedAt: string;
  readonly areOverlaysShown: boolean;
  readonly onCommand: (command: PlayerCommand) => void;
  readonly onSpeed: (speed: Speed) => void;
  readonly onHelp: () => void;
}

const CLOCK = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });

/** Play, step, speed: everything a key does, for the hand. */
export function PlayerControls(props: PlayerControlsProps) {
  const { playback, startedAt, areOverlaysShown, onCommand, onSpeed, onHelp } = props;
  const { isPlaying, isGrowing, isLive, positionMs, durationMs, speed, isSkippingIdle } = playback;
  const isClock = useSignal(false);
  const isByHand = useRef(false);
  /** A button that does what a key does. */
  const keyButton = (
    icon: IconShape,
    label: string,
    shortcut: string,
    command: PlayerCommand,
    more: Partial<IconButtonProps> = {},
  ) => (
    <IconButton icon={icon} label={label} shortcut={shortcut} onClick={() => onCommand(command)} {...more} />
  );
  const behindMs = isLive ? 0 : durationMs - positionMs;
  return (
    <div class="player-controls" role="toolbar" aria-label={t`Player`}>
      {keyButton("skipBack", t`Previous action`, "P", { kind: "action", by: -1 })}
      {keyButton("frameBack", t`Previous frame`, ",", { kind: "frame", by: -1 }, { class: "wide-only" })}
      <button
        type="button"
        class="button button-primary play-button"
        aria-label={isPlaying ? t`Pause` : t`Play`}
        title={t`${isPlaying ? t`Pause` : t`Play`} (Space)`}
        onClick={() => onCommand({ kind: "toggle" })}
      >
        <Icon shape={isPlaying ? "pause" : "play"} />
      </button>
      {keyButton("frameOn", t`Next frame`, ".", { kind: "frame", by: 1 }, { class: "wide-only" })}
      {keyButton("skipOn", t`Next action`, "N", { kind: "action", by: 1 })}
      <button
        type="button"
        class="player-time"
        title={isClock.value ? t`Show the time since the recording began` : t`Show the time of day`}
        onClick={() => {
          isClock.value = !isClock.value;
        }}
      >
        {isClock.value ? (
          <span class="player-now">{CLOCK.format(Date.parse(startedAt) + positionMs)}</span>
        ) : (
          <>
            <span class="player-now">{timeWords(positionMs, true)}</span>
            <span class="muted"> / {timeWords(durationMs)}</span>
          </>
        )}
      </button>
      {isGrowing && (
        <button
          type="button"
          class={`button live-button ${isLive ? "is-live" : ""}`}
          aria-pressed={isLive}
          title={t`Follow what happens now (End)`}
          onClick={() => onCommand({ kind: "end" })}
        >
          <span class="dot" aria-hidden="true" />
          <span>{t`Live`}</span>
          {behindMs >= 1000 && (
            <span class="live-behind muted">
              <span aria-hidden="true">−{timeWords(behindMs)}</span>
              <span class="visually-hidden">{t`, ${spokenTime(behindMs)} ago is shown`}</span>
            </span>
          )}
        </button>
      )}
      {isGrowing &&
        keyButton("bookmark", t`Mark this moment`, "M", { kind: "mark" }, { isDisabled: !isLive })}
      <span class="bar-space" />
      <select
        aria-label={t`Speed`}
        title={t`Speed (< >)`}
        value={String(speed)}
        onPointerDown={() => {
          isByHand.current = true;
        }}
        onKeyDown={() => {
          isByHand.current = false;
        }}
        onChange={(event) => {
          // A hand that has chosen is done: the keys are the player's again.
          if (isByHand.current) event.currentTarget.blur();
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
      {keyButton(
        "chevronsRight",
        t`Skip what is idle`,
        "I",
        { kind: "skip_idle" },
        { isPressed: isSkippingIdle },
      )}
      {keyButton("layers", t`Overlays`, "O", { kind: "overlays" }, { isPressed: areOverlaysShown })}
      {keyButton("link", t`Copy a link to this moment`, "C", { kind: "copy_link" }, { class: "wide-only" })}
      <IconButton icon="keyboard" label={t`Keyboard`} shortcut="?" class="wide-only" onClick={onHelp} />
      {keyButton("maximize", t`Full screen`, "F", { kind: "full_screen" }, { class: "wide-only" })}
    </div>
  );
}
