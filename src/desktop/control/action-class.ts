import type { Point, Rect } from "../../framebuffer/rect.ts";
import { holdsPoint } from "../../framebuffer/rect.ts";
import { codePointOf } from "../../protocols/keysym-characters.ts";
import { KEYSYM } from "../input/keyboard.ts";
import type { Action } from "./action.ts";

/** What the policy tells apart: each has one verdict in each mode. */
export const ACTION_CLASSES = [
  "pointer",
  "keys",
  "text",
  "write_clipboard",
  "read_clipboard",
  "resize",
] as const;
export type ActionClass = (typeof ACTION_CLASSES)[number];

/** From the most freedom to the least. */
export const VERDICT_WORDS = ["allow", "ask", "deny"] as const;
export type VerdictWord = (typeof VERDICT_WORDS)[number];

/** The one that gives an agent less. */
export function stricterWord(a: VerdictWord, b: VerdictWord): VerdictWord {
  return VERDICT_WORDS.indexOf(a) >= VERDICT_WORDS.indexOf(b) ? a : b;
}

/** Whether `to` gives more than `from`. */
export function isWeakerWord(from: VerdictWord, to: VerdictWord): boolean {
  return VERDICT_WORDS.indexOf(to) < VERDICT_WORDS.indexOf(from);
}

/**
 * All that an action is to the policy: it needs every one of them. None where it only lets go, which no mode refuses.
 * `held`: keys that its actor has left down, which it presses as well.
 *
 * INVARIANT: every key that an action sends is "keys" or "text" here, whatever tool it came by.
 */
export function actionClassesOf(action: Action, held: readonly number[] = []): readonly ActionClass[] {
  const classes = ownClassesOf(action);
  const isAtHand = classes.includes("pointer") || classes.includes("text");
  return held.length > 0 && isAtHand && !classes.includes("keys") ? [...classes, "keys"] : classes;
}

function ownClassesOf(action: Action): readonly ActionClass[] {
  const actionClass = actionClassOf(action);
  if (actionClass === null) return [];
  switch (action.kind) {
    case "paste":
      return ["write_clipboard", "keys"];
    case "click":
    case "drag":
    case "scroll":
      return action.holdKeysyms.length > 0 ? ["pointer", "keys"] : ["pointer"];
    case "type":
      // Ctrl+A and Delete clear a field; a backspace among the text is a key as well.
      return action.clearExisting || action.text.includes("\b") ? ["text", "keys"] : ["text"];
    case "chords":
      return action.chords.some(isTyping) ? ["keys", "text"] : ["keys"];
    case "hold":
      return action.isDown && isTyping(action.keysyms) ? ["keys", "text"] : ["keys"];
    default:
      return [actionClass];
  }
}

/** What an action does with the hands: where it points, or where its keys go; null where it only lets go. */
export function actionClassOf(action: Action): ActionClass | null {
  switch (action.kind) {
    case "release":
      return null;
    case "type":
      return "text";
    case "read_clipboard":
    case "write_clipboard":
    case "resize":
      return action.kind;
    case "key":
    case "chords":
    case "hold":
    case "paste":
      return "keys";
    default:
      return "pointer";
  }
}

/** Where the pointer is, the mask of the buttons that are down, and the keys that an agent has left down. */
export interface InputState {
  readonly position: Point;
  readonly buttons: number;
  readonly keys: readonly number[];
}

/**
 * The way of the pointer: every place where an action does something, in order, and straight lines between them. Who
 * moves with a button down does something all the way from where the pointer was.
 */
export function pathOf(action: Action, input: InputState): readonly Point[] {
  const own = placesOf(action, input.position);
  return own.length > 0 && input.buttons !== 0 ? [input.position, ...own] : own;
}

function placesOf(action: Action, pointer: Point): readonly Point[] {
  if (action.kind === "drag") return action.path;
  if (actionClassOf(action) !== "pointer" || !("x" in action)) return [];
  return [{ x: action.x ?? pointer.x, y: action.y ?? pointer.y }];
}

/**
 * Whether a way goes through an area. What is sent between two points are whole pixels next to the line, and programs
 * draw lines between those: a line that comes within one pixel counts.
 */
export function isCrossed(area: Rect, path: readonly Point[]): boolean {
  const [first] = path;
  if (first === undefined) return false;
  if (holdsPoint(area, first.x, first.y)) return true;
  return path.slice(1).some((to, index) => meets(area, path[index] ?? to, to));
}

/** Liang and Barsky's clipping of a segment, against the area and one pixel around it. */
function meets(area: Rect, from: Point, to: Point): boolean {
  if (holdsPoint(area, to.x, to.y)) return true;
  if (from.x === to.x && from.y === to.y) return false;
  let enters = 0;
  let leaves = 1;
  for (const [start, delta, least, most] of [
    [from.x, to.x - from.x, area.x - 1, area.x + area.width],
    [from.y, to.y - from.y, area.y - 1, area.y + area.height],
  ] as const) {
    if (delta === 0) {
      if (start < least || start > most) return false;
      continue;
    }
    const [a, b] = [(least - start) / delta, (most - start) / delta];
    enters = Math.max(enters, Math.min(a, b));
    leaves = Math.min(leaves, Math.max(a, b));
  }
  return enters <= leaves;
}

/** Modifiers that make a command of a key rather than another character. */
export const COMMAND_KEYS: ReadonlySet<number> = new Set([
  KEYSYM.controlL,
  KEYSYM.controlR,
  KEYSYM.altL,
  KEYSYM.altR,
  KEYSYM.metaL,
  KEYSYM.metaR,
  KEYSYM.superL,
  KEYSYM.superR,
  KEYSYM.hyperL,
  KEYSYM.hyperR,
]);

/** Whether keys pressed together write a character, without a key that commands. */
function isTyping(keysyms: readonly number[]): boolean {
  return keysyms.some(isWriting) && !keysyms.some((keysym) => COMMAND_KEYS.has(keysym));
}

function isWriting(keysym: number): boolean {
  return codePointOf(keysym) !== null || isKeypad(keysym) || isDead(keysym);
}

/** The dead keys of keysymdef.h: an accent with the next letter, and alone where they are pressed twice. */
function isDead(keysym: number): boolean {
  return keysym >= 0xfe50 && keysym <= 0xfe93;
}

/** Keys of the keypad that write: KP_Space, KP_Multiply to KP_9 and KP_Equal; the rest move, enter or are function keys. */
function isKeypad(keysym: number): boolean {
  // KP_Begin is the place of the 5, which an RDP host writes: Num Lock is on there.
  return (
    keysym === 0xff80 || keysym === 0xff9d || (keysym >= 0xffaa && keysym <= 0xffb9) || keysym === 0xffbd
  );
}

/** Whether an action does something to the desktop, so that only who holds the input may. */
export function isInput(action: Action): boolean {
  return action.kind !== "read_clipboard";
}

/** What a person does with their hands; a viewer that shares its clipboard or its size by itself takes nothing over. */
export function isTakeOver(action: Action): boolean {
  return action.kind !== "read_clipboard" && action.kind !== "write_clipboard" && action.kind !== "resize";
}

/** A viewer's pointer within the screen, where there is one. */
export function movedInto<Raw extends Action>({ width, height }: Rect, action: Raw): Raw {
  if (action.kind !== "pointer" || width === 0) return action;
  return { ...action, x: Math.min(action.x, width - 1), y: Math.min(action.y, height - 1) };
}
