import { RefusedError } from "../error.ts";
import type { Action, PerformOptions } from "./action.ts";

/** An agent's action keeps others from the input for so long at most. */
const MOST_MS = 60_000;
const CHARACTERS_A_WORD = 5;

/** Throws RefusedError invalid_parameters for an action that would take longer by what is asked of it. */
export function checkDuration(action: Action, options: PerformOptions): void {
  const strokes = strokesOf(action);
  const tookMs = ownMs(action) + strokes * (options.timing?.minDelayMs ?? 0);
  if (tookMs <= MOST_MS) return;
  throw new RefusedError(
    "invalid_parameters",
    `got an action that takes ${Math.ceil(tookMs / 1000)} s, expected at most ${MOST_MS / 1000} s, for others wait meanwhile: do it in parts, or faster`,
  );
}

function ownMs(action: Action): number {
  switch (action.kind) {
    case "type":
      return action.wordsPerMinute === null
        ? 0
        : (Array.from(action.text).length * 60_000) / (action.wordsPerMinute * CHARACTERS_A_WORD);
    case "chords":
      return action.chords.length * action.repeat * action.holdMs;
    case "drag":
      return action.durationMs ?? 0;
    default:
      return 0;
  }
}

/** Before each of these a random wait may be asked for. */
function strokesOf(action: Action): number {
  if (action.kind === "type") return Array.from(action.text).length;
  if (action.kind === "chords") return action.chords.length * action.repeat;
  return action.kind === "click" ? action.clicks : 1;
}
