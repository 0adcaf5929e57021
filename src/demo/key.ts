import { codePointOf } from "../protocols/keysym-characters.ts";

/** A key going down, as controls see it. */
export interface KeyPress {
  /** What it is called: "Return", "Left", "a", "€". */
  readonly name: string;
  /** What it types; null for keys that type nothing. */
  readonly text: string | null;
  readonly isCtrl: boolean;
  readonly isAlt: boolean;
  readonly isShift: boolean;
}

/** Names of keys that type nothing, X11 keysymdef.h. The keypad without Num Lock says the same as the grey keys. */
const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries({
    ...{ BackSpace: [0xff08], Tab: [0xff09, 0xfe20], Return: [0xff0d, 0xff8d], Escape: [0xff1b] },
    ...{ Delete: [0xffff, 0xff9f], Insert: [0xff63], Home: [0xff50, 0xff95], End: [0xff57, 0xff9c] },
    ...{ Left: [0xff51, 0xff96], Up: [0xff52, 0xff97], Right: [0xff53, 0xff98], Down: [0xff54, 0xff99] },
    ...{ Page_Up: [0xff55, 0xff9a], Page_Down: [0xff56, 0xff9b], Menu: [0xff67], Print: [0xff61] },
    ...{ Pause: [0xff13], Num_Lock: [0xff7f], Caps_Lock: [0xffe5], Shift: [0xffe1, 0xffe2] },
    ...{ Control: [0xffe3, 0xffe4], Meta: [0xffe7, 0xffe8], Alt: [0xffe9, 0xffea], Super: [0xffeb, 0xffec] },
    AltGr: [0xfe03],
  }).flatMap(([name, keysyms]) => keysyms.map((keysym) => [keysym, name] as const)),
);

/** The character of a keysym, null where it types none. */
export function characterOf(keysym: number): string | null {
  // KP_Multiply to KP_9 stand in ASCII order; a separator is a comma.
  if (keysym >= 0xffaa && keysym <= 0xffb9) return String.fromCharCode(keysym - 0xff80);
  const point = codePointOf(keysym);
  const isControl = point !== null && point >= 0x7f && point < 0xa0;
  return point === null || isControl ? null : String.fromCodePoint(point);
}

/** What a key is called; unknown ones by their number. */
export function keyName(keysym: number): string {
  const name = NAMES.get(keysym);
  if (name !== undefined) return name;
  if (keysym >= 0xffbe && keysym <= 0xffd5) return `F${keysym - 0xffbd}`;
  const character = characterOf(keysym);
  if (character === " ") return "Space";
  return character ?? `0x${keysym.toString(16)}`;
}

const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "Super", "AltGr"] as const;
export type Modifier = (typeof MODIFIERS)[number];

/** The modifier a keysym is, null for other keys. */
export function modifierOf(keysym: number): Modifier | null {
  const name = NAMES.get(keysym);
  return MODIFIERS.find((modifier) => modifier === name) ?? null;
}
