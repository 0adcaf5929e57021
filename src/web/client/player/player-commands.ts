import type { SearchHitInfo, TimelineInfo, TrackInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { copyText, showError, showNotice } from "../shell/notices.ts";
import { momentAfter, momentBefore } from "./moments.ts";
import { SPEEDS } from "./playback.ts";
import type { Player } from "./player.ts";
import type { PlayerCommand } from "./player-keys.ts";
import { hashOfTime, timeWords } from "./player-time.ts";
import { entryWords } from "./track-words.ts";

/** What commands act on; asked each time, for they come and go. */
export interface PlayerCommandTargets {
  player(): Player | null;
  entries(): TimelineInfo["entries"];
  /** What was found in the recorded text, by time. */
  hits(): readonly SearchHitInfo[];
  page(): HTMLElement | null;
  search(): HTMLInputElement | null;
  toggleOverlays(): void;
  /** Tells a screen reader where a step led. */
  say(words: string): void;
  /** Marks the present moment in the recording itself. */
  mark(): void;
  /** Marks a moment that was recorded. */
  markAt(ms: number): void;
}

/** Pressing "previous" this soon after an action goes to the one before it. */
const SLACK_MS = 300;

/** What is said of a step to the next or previous one of something. */
type PlaceWords = (at: number, of: number) => string;

const ACTION_WORDS: PlaceWords = (at, of) => t`action ${at} of ${of}`;
const MARKER_WORDS: PlaceWords = (at, of) => t`marker ${at} of ${of}`;
const HIT_WORDS: PlaceWords = (at, of) => t`place in the text ${at} of ${of}`;

/** Runs the commands of keys and buttons. */
export function playerCommands(targets: PlayerCommandTargets): (command: PlayerCommand) => void {
  const toMoment = (
    player: Player,
    by: 1 | -1,
    words: PlaceWords,
    wanted: readonly { readonly atMs: number; readonly words: string }[],
  ): void => {
    const times = wanted.map(({ atMs }) => atMs);
    const { positionMs, isPlaying } = player.playback;
    const toMs =
      by === 1
        ? momentAfter(times, positionMs)
        : momentBefore(times, positionMs - (isPlaying ? SLACK_MS : 0));
    // Who steps wants to look.
    player.dispatch({ type: "pause" });
    if (toMs === null) {
      showNotice(by === 1 ? t`There is no later one` : t`There is no earlier one`);
      return;
    }
    player.dispatch({ type: "seek", toMs });
    const index = times.indexOf(toMs);
    const moment = wanted[index];
    if (moment) targets.say(`${moment.words}, ${words(index + 1, wanted.length)}`);
  };
  const entries = (isWanted: (entry: TrackInfo) => boolean) =>
    targets
      .entries()
      .filter(isWanted)
      .map((entry) => ({ atMs: entry.at_ms, words: entryWords(entry) }));
  return (command) => {
    const player = targets.player();
    if (!player) return;
    const { durationMs, speed, isSkippingIdle } = player.playback;
    switch (command.kind) {
      case "toggle":
        return player.dispatch({ type: "toggle" });
      case "move":
        return player.dispatch({ type: "move", byMs: command.byMs });
      case "frame":
        player.step(command.by).catch((error: unknown) => showError(t`Could not step`, error));
        return;
      case "action":
        return toMoment(
          player,
          command.by,
          ACTION_WORDS,
          entries(({ type }) => type === "action"),
        );
      case "marker":
        return toMoment(
          player,
          command.by,
          MARKER_WORDS,
          entries(({ type }) => type === "marker" || type === "approval" || type === "gap"),
        );
      case "hit":
        return toMoment(
          player,
          command.by,
          HIT_WORDS,
          targets.hits().map(({ at_ms, text }) => ({ atMs: at_ms, words: text })),
        );
      case "speed":
        return player.dispatch({ type: "faster", by: command.by });
      case "cycle_speed": {
        const next = SPEEDS[SPEEDS.indexOf(speed) + 1] ?? SPEEDS[0];
        return player.dispatch({ type: "speed", speed: next });
      }
      case "tenth":
        return player.dispatch({ type: "seek", toMs: (durationMs * command.tenth) / 10 });
      case "start":
        return player.dispatch({ type: "seek", toMs: 0 });
      case "end":
        return player.dispatch({ type: "go_live" });
      case "overlays":
        return targets.toggleOverlays();
      case "skip_idle":
        return player.dispatch({ type: "skip_idle", isOn: !isSkippingIdle });
      case "copy_link": {
        const { positionMs } = player.playback;
        const address = new URL(hashOfTime(positionMs), location.href);
        copyText(address.href, t`Link to ${timeWords(positionMs, true)} copied`);
        return;
      }
      case "mark":
        // The server marks its own present: elsewhere the mark would not be where one looks.
        if (player.playback.isLive) targets.mark();
        else {
          player.dispatch({ type: "pause" });
          targets.markAt(player.playback.positionMs);
        }
        return;
      case "find":
        targets.search()?.focus();
        return;
      case "full_screen": {
        const change = document.fullscreenElement
          ? document.exitFullscreen()
          : targets.page()?.requestFullscreen();
        // Refused without a click, or in a frame: the page then stays as it is.
        change?.catch(() => {});
        return;
      }
    }
  };
}
