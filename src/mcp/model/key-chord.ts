import { COMMAND_KEYS } from "../../desktop/control/action-class.ts";
import { RefusedError } from "../../desktop/error.ts";
import { KEYSYM, keysymOf } from "../../desktop/input/keyboard.ts";
import { KEY_NAMES } from "./key-names.ts";

/** Keys that go down together: their keysyms in the order they are pressed, and their name as people write it. */
export interface Chord {
  readonly keysyms: readonly number[];
  readonly name: string;
}

/** Longer names are nobody's key; echoed no longer than this. */
const MAX_NAME = 30;
/** More keys than fingers. */
const MAX_KEYS = 10;

const MODIFIERS: ReadonlySet<number> = new Set([
  ...COMMAND_KEYS,
  ...[KEYSYM.shiftL, KEYSYM.shiftR, KEYSYM.level3Shift],
]);

/** What Shift makes of the keys of a US layout, which is what people mean by "ctrl+shift+1". */
const SHIFTED: ReadonlyMap<string, string> = new Map(
  Array.from("`1234567890-=[]\\;',./", (key, i) => [key, '~!@#$%^&*()_+{}|:"<>?'.charAt(i)]),
);

/**
 * A chord as people write it: "ctrl+shift+t", "cmd+c", "alt+F4", "Page_Down", "a", "ctrl++". Names of X11, of
 * browsers (ArrowDown) and of xdotool are known, in any case. Throws RefusedError invalid_parameters, naming the
 * key that is not known.
 */
export function parseChord(text: string): Chord {
  return chordOf(partsOf(text));
}

/** As `parseChord`, from a list of names: ["CTRL", "SHIFT", "T"]. */
export function chordOf(names: readonly string[]): Chord {
  if (names.length === 0 || names.length > MAX_KEYS) {
    throw new RefusedError(
      "invalid_parameters",
      `got a chord of ${names.length} keys, expected 1 to ${MAX_KEYS}`,
    );
  }
  const found = names.map((name) => namedKey(name));
  const modifiers = found.filter((keysym) => keysym !== null && MODIFIERS.has(keysym));
  const isShifted = modifiers.includes(KEYSYM.shiftL) || modifiers.includes(KEYSYM.shiftR);
  const keysyms = names.map((name, i) => {
    const named = found[i] ?? null;
    return named ?? characterKey(name, modifiers.length > 0, isShifted);
  });
  const isAlone = names.length === 1;
  return { keysyms, name: names.map((name) => nameForPeople(name, isAlone)).join("+") };
}

/** The text that a chord types: one character with no key but Shift held; null for all else. */
export function textOf(chord: Chord): string | null {
  const [only] = chord.keysyms;
  if (chord.keysyms.length !== 1 || only === undefined) return null;
  return Array.from(chord.name).length === 1 && keysymOf(chord.name) === only ? chord.name : null;
}

/** Splits at "+"; one at the end, or alone, is the key. */
function partsOf(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed === "") return text === "" ? [] : [" "];
  if (trimmed === "+") return ["+"];
  const isPlusKey = trimmed.endsWith("++");
  const parts = (isPlusKey ? trimmed.slice(0, -2) : trimmed).split("+").map((part) => part.trim());
  return isPlusKey ? [...parts, "+"] : parts;
}

function namedKey(name: string): number | null {
  if (Array.from(name).length <= 1) return null;
  return KEY_NAMES.get(plain(name)) ?? null;
}

/**
 * Beside modifiers the case of a letter means nothing ("ctrl+S" is Ctrl and the S key); with Shift it is the shifted
 * character, as a keyboard would send it, because servers lift a Shift that the keysym does not ask for.
 */
function characterKey(name: string, isModified: boolean, isShifted: boolean): number {
  const characters = Array.from(name);
  if (characters.length !== 1) throw unknown(name);
  const character = isShifted
    ? (SHIFTED.get(name) ?? name.toUpperCase())
    : isModified
      ? name.toLowerCase()
      : name;
  // "ß".toUpperCase() is two letters: then the key is as it was.
  const keysym = keysymOf(Array.from(character).length === 1 ? character : name);
  if (keysym === null) throw unknown(name);
  return keysym;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

/** "Ctrl+Shift+T"; a character alone is what it types. */
function nameForPeople(name: string, isAlone: boolean): string {
  const isCharacter = Array.from(name).length === 1;
  return isCharacter && isAlone ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

function unknown(name: string): RefusedError {
  const got = JSON.stringify(name.slice(0, MAX_NAME));
  return new RefusedError(
    "invalid_parameters",
    `got the key ${got}, expected a character or a key's name such as enter, escape, f5, page_down, ctrl, shift, alt, cmd`,
  );
}
