import { hasControls } from "../../../compositor/look/shown-text.ts";
import { secretsIn } from "../../input/placeholders.ts";
import type { Action } from "../action.ts";
import {
  besideWords,
  directionsOf,
  type HeldBeside,
  heldWords,
  NOTHING_HELD,
  TIMES,
} from "../action-summary.ts";

/**
 * What a person allows for a while who allows this action, in words for the button; null: once only. `held`: what is
 * held beside it.
 */
export function scopeOf(action: Action, held: HeldBeside = NOTHING_HELD): string | null {
  const own = ownScopeOf(action);
  return own === null ? null : own + besideWords(held);
}

function ownScopeOf(action: Action): string | null {
  switch (action.kind) {
    case "click":
      return `${TIMES[action.clicks] ?? "Click"} ${action.button} here${heldWords(action.holdKeysyms)}`;
    case "move":
      return "Move the pointer here";
    case "button":
      return `${action.isDown ? "Press" : "Let go of"} the ${action.button} button here`;
    case "drag":
      return `Drag ${action.button} within this part${heldWords(action.holdKeysyms)}`;
    case "scroll":
      return `Scroll ${directionsOf(action.notchesX, action.notchesY)} here${heldWords(action.holdKeysyms)}`;
    case "chords":
      return `Press ${action.names.join(", ")}${action.repeat > 1 ? ` ${action.repeat} times` : ""} here`;
    case "hold":
      return `${action.isDown ? "Hold" : "Let go of"} ${action.name} here`;
    case "type":
      // Each secret is asked about by its name.
      return hasControls(action.text) || secretsIn(action.text).length > 0
        ? null
        : `${action.clearExisting ? "Replace the field with" : "Type"} text of one line here`;
    case "paste":
      return hasControls(action.text) ? null : `Paste text of one line with ${action.name} here`;
    case "write_clipboard":
      return hasControls(action.text) ? null : "Set the clipboard to text of one line";
    case "read_clipboard":
      return "Read the clipboard";
    case "resize":
      return `Resize the desktop to ${action.width}x${action.height}`;
    default:
      return null;
  }
}

/**
 * Whether what was allowed for a while covers another action, wherever it is done: the same but for its place within
 * the area and the characters of a text without control characters.
 */
export function isSameScope(allowed: Action, wanted: Action): boolean {
  return scopeOf(allowed) !== null && scopeOf(wanted) !== null && keyOf(allowed) === keyOf(wanted);
}

/** Every argument but the place, and the characters of a text. */
function keyOf(action: Action): string {
  return JSON.stringify({
    ...action,
    ...("x" in action ? { x: null, y: null } : {}),
    ...("path" in action ? { path: null } : {}),
    ...("text" in action ? { text: null } : {}),
  });
}
