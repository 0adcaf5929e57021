import { plainWords } from "../../compositor/look/shown-text.ts";
import type { Point } from "../../framebuffer/rect.ts";
import { KEYSYM } from "../input/keyboard.ts";
import { secretsIn } from "../input/placeholders.ts";
import { type Action, BUTTON_BIT, BUTTONS } from "./action.ts";

/** By the number of clicks. */
export const TIMES = ["", "Click", "Double-click", "Triple-click"] as const;

/** The keys that can be held meanwhile, by keysym. */
const HELD_NAMES: Readonly<Record<number, string>> = {
  [KEYSYM.shiftL]: "Shift",
  [KEYSYM.controlL]: "Ctrl",
  [KEYSYM.altL]: "Alt",
  [KEYSYM.level3Shift]: "AltGr",
  [KEYSYM.metaL]: "Meta",
  [KEYSYM.superL]: "Super",
};

/** " with Ctrl+Shift held"; empty for none. */
export function heldWords(keysyms: readonly number[]): string {
  if (keysyms.length === 0) return "";
  return ` with ${keysyms.map((keysym) => HELD_NAMES[keysym] ?? `key 0x${keysym.toString(16)}`).join("+")} held`;
}

/** What an agent has left down and an action does not name itself: it is done with that. */
export interface HeldBeside {
  readonly keys: readonly number[];
  /** RFB button mask. */
  readonly buttons: number;
}

export const NOTHING_HELD: HeldBeside = Object.freeze({ keys: [], buttons: 0 });

/** Of what is down when an action is asked for, that which its own words do not say. */
export function heldBeside(action: Action, { keys, buttons }: HeldBeside): HeldBeside {
  if (action.kind === "release") return NOTHING_HELD;
  const own = "holdKeysyms" in action ? action.holdKeysyms : action.kind === "hold" ? action.keysyms : [];
  const button = action.kind === "button" ? BUTTON_BIT[action.button] : 0;
  return { keys: keys.filter((keysym) => !own.includes(keysym)), buttons: buttons & ~button };
}

/** " with Ctrl held, the left button down"; empty for nothing. */
export function besideWords({ keys, buttons }: HeldBeside): string {
  const down = BUTTONS.filter((button) => (buttons & BUTTON_BIT[button]) !== 0);
  return heldWords(keys) + down.map((button) => `, the ${button} button down`).join("");
}

/** Whether the same is held, in whatever order it went down. */
export function isSameHeld(a: HeldBeside, b: HeldBeside): boolean {
  const isSize = a.keys.length === b.keys.length && a.buttons === b.buttons;
  return isSize && a.keys.every((keysym) => b.keys.includes(keysym));
}

/** An action in words for people, without the text it types. `subject`: see PerformOptions. */
export function summaryOf(action: Action, subject?: string): string {
  return subject === undefined ? wordsOf(action) : `${wordsOf(action)}: ${plainWords(subject)}`;
}

function wordsOf(action: Action): string {
  switch (action.kind) {
    case "pointer":
      return action.buttons === 0 ? `Move to ${action.x},${action.y}` : `Press at ${action.x},${action.y}`;
    case "key":
      return action.isDown ? "Press a key" : "Release a key";
    case "click": {
      const times = TIMES[action.clicks] ?? "Click";
      const held = heldWords(action.holdKeysyms);
      return `${times} ${action.button} ${placeOf(action)}${held}`;
    }
    case "move":
      return `Move the pointer to ${action.x},${action.y}`;
    case "button":
      return `${action.isDown ? "Press" : "Let go of"} the ${action.button} button ${placeOf(action)}`;
    case "drag": {
      const from = action.path[0];
      const to = action.path.at(-1);
      const held = heldWords(action.holdKeysyms);
      const between = action.path.length - 2;
      const way = between <= 0 ? "" : ` by way of ${between} more ${between === 1 ? "point" : "points"}`;
      return `Drag ${action.button} from ${from?.x},${from?.y} to ${to?.x},${to?.y}${way}${held}`;
    }
    case "scroll": {
      const held = heldWords(action.holdKeysyms);
      return `Scroll ${directionsOf(action.notchesX, action.notchesY)} ${placeOf(action)}${held}`;
    }
    case "chords": {
      // A character alone is typed text, which no log keeps.
      const names = action.names.map((name) => (Array.from(name).length === 1 ? "a character" : name));
      return `Press ${names.join(", ")}${action.repeat > 1 ? ` ${action.repeat} times` : ""}`;
    }
    case "hold": {
      const name = Array.from(action.name).length === 1 ? "a character" : action.name;
      return action.isDown ? `Hold ${name} down` : `Let go of ${name}`;
    }
    case "release":
      return "Let go of all keys and buttons";
    case "type":
      return `${action.clearExisting ? "Replace the field with" : "Type"} ${countOf(action.text)}${secretWords(action.text)}`;
    case "read_clipboard":
      return "Read the clipboard";
    case "write_clipboard":
      return `Set the clipboard to ${countOf(action.text)}`;
    case "paste":
      return `Paste ${countOf(action.text)} with ${action.name}`;
    case "resize":
      return `Resize the desktop to ${action.width}x${action.height}`;
  }
}

/** Shorter words of a text are too common to be told from an intent's own. */
const LEAST_SECRET = 4;

/**
 * What an agent says it does something for, as logs keep it: what the action types, and each longer word of it, is left
 * out, for agents do write "log in with hunter2".
 */
export function intentOf(
  action: { readonly kind: string; readonly text?: string },
  said: string | null,
): string | null {
  const intent = said === null ? null : plainWords(said);
  if (intent === null || action.text === undefined) return intent;
  const parts = [action.text.trim(), ...action.text.split(/\s+/)]
    .filter(({ length }) => length >= LEAST_SECRET)
    .sort((a, b) => b.length - a.length);
  const told = parts.reduce((words, part) => words.replaceAll(part, "[text]"), intent);
  // A short secret, a PIN of three digits, stands alone.
  const whole = action.text.trim();
  const isShort = whole !== "" && whole.length < LEAST_SECRET;
  return isShort ? told.replace(/[^\s"'.,;:!?()]+/g, (word) => (word === whole ? "[text]" : word)) : told;
}

function placeOf({ x, y }: { readonly x: number | null; readonly y: number | null }): string {
  return x === null || y === null ? "where the pointer is" : `at ${x},${y}`;
}

/** "3 down and 1 left". */
export function directionsOf(right: number, down: number): string {
  const parts = [
    ...(down === 0 ? [] : [`${Math.abs(down)} ${down > 0 ? "down" : "up"}`]),
    ...(right === 0 ? [] : [`${Math.abs(right)} ${right > 0 ? "right" : "left"}`]),
  ];
  return parts.join(" and ");
}

/** ", {{secret:bank}} among them"; empty for none. */
function secretWords(text: string): string {
  const named = new Set(secretsIn(text).map(({ placeholder }) => placeholder));
  return named.size === 0 ? "" : `, ${[...named].join(" and ")} among them`;
}

function countOf(text: string): string {
  const count = Array.from(text).length;
  return count === 1 ? "1 character" : `${count} characters`;
}

/** Where an action happens, null where it has no place. */
export function pointOf(action: Action, pointer: Point): Point | null {
  switch (action.kind) {
    case "pointer":
    case "move":
      return { x: action.x, y: action.y };
    case "click":
    case "button":
    case "scroll":
      return { x: action.x ?? pointer.x, y: action.y ?? pointer.y };
    case "drag":
      return action.path[0] ?? pointer;
    default:
      return null;
  }
}
