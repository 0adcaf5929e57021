import { LAYOUTS, type Row, US_LAYOUT } from "./keyboard-layouts.ts";

/** Before a code: it has the prefix E0 on the wire of a keyboard, MS-RDPBCGR calls it extended. */
export const EXTENDED = 0xe000;

/** Keys of a PC's keyboard by their scan code, set 1; keys that were added to the first PC's are extended. */
export const SCANCODE = {
  escape: 0x01,
  backspace: 0x0e,
  tab: 0x0f,
  enter: 0x1c,
  controlLeft: 0x1d,
  controlRight: EXTENDED | 0x1d,
  shiftLeft: 0x2a,
  shiftRight: 0x36,
  altLeft: 0x38,
  /** AltGr, where the layout has one. */
  altRight: EXTENDED | 0x38,
  space: 0x39,
  capsLock: 0x3a,
  numLock: 0x45,
  scrollLock: 0x46,
  superLeft: EXTENDED | 0x5b,
  superRight: EXTENDED | 0x5c,
  menu: EXTENDED | 0x5d,
  printScreen: EXTENDED | 0x37,
  /** Control and Pause together have a key code of their own. */
  breakKey: EXTENDED | 0x46,
  /** The one key with the prefix E1; never sent as it stands here: see `pauseEvents`. */
  pause: 0xe11d,
} as const;

/** A key, and what has to be down with it for what is wanted. */
export interface KeyPosition {
  readonly scancode: number;
  /** null where it makes no difference. */
  readonly isShifted: boolean | null;
  readonly isAltGr: boolean;
}

/** Keysyms of X11's keysymdef.h and XF86keysym.h that are keys, not characters; a run begins at a keysym. */
const KEYSYM_RUNS: readonly (readonly [first: number, scancodes: readonly number[]])[] = [
  [0xff08, [SCANCODE.backspace, SCANCODE.tab, SCANCODE.enter]],
  [0xff0d, [SCANCODE.enter]],
  [0xff13, [SCANCODE.pause, SCANCODE.scrollLock, 0x54 /* SysRq */]],
  [0xff1b, [SCANCODE.escape]],
  // Japanese and Korean: Muhenkan, Henkan; Hiragana_Katakana; Hangul, Hanja.
  [0xff22, [0x7b, 0x79]],
  [0xff27, [0x70]],
  [0xff31, [0x72]],
  [0xff34, [0x71]],
  // Home, Left, Up, Right, Down, Page Up, Page Down, End, Begin.
  [0xff50, [0xe047, 0xe04b, 0xe048, 0xe04d, 0xe050, 0xe049, 0xe051, 0xe04f, 0x4c]],
  [0xff61, [SCANCODE.printScreen]],
  [0xff63, [0xe052 /* Insert */]],
  [0xff67, [SCANCODE.menu]],
  // Cancel, Help, Break.
  [0xff69, [SCANCODE.breakKey, 0xe03b, SCANCODE.breakKey]],
  [0xff7e, [SCANCODE.altRight /* Mode_switch */, SCANCODE.numLock]],
  // The keypad: Space, Tab, Enter, F1 to F4; then as on the grey keys, whose meaning Num Lock does not change.
  [0xff80, [SCANCODE.space]],
  [0xff89, [SCANCODE.tab]],
  [0xff8d, [0xe01c]],
  [0xff91, [0x3b, 0x3c, 0x3d, 0x3e]],
  [0xff95, [0xe047, 0xe04b, 0xe048, 0xe04d, 0xe050, 0xe049, 0xe051, 0xe04f, 0x4c, 0xe052, 0xe053]],
  // Multiply, Add, Separator, Subtract, Decimal, Divide.
  [0xffaa, [0x37, 0x4e, 0x33, 0x4a, 0x53, 0xe035]],
  [0xffb0, [0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49]],
  [0xffbd, [0x0d /* KP_Equal */]],
  // F1 to F24.
  [0xffbe, [0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40, 0x41, 0x42, 0x43, 0x44, 0x57, 0x58]],
  [0xffca, [0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x76]],
  // Shift, Control, Caps Lock, Shift Lock, Meta, Alt, Super, Hyper, left and right.
  [0xffe1, [SCANCODE.shiftLeft, SCANCODE.shiftRight, SCANCODE.controlLeft, SCANCODE.controlRight]],
  [0xffe5, [SCANCODE.capsLock, SCANCODE.capsLock]],
  [0xffe7, [SCANCODE.altLeft, SCANCODE.altRight, SCANCODE.altLeft, SCANCODE.altRight]],
  [0xffeb, [SCANCODE.superLeft, SCANCODE.superRight, SCANCODE.superLeft, SCANCODE.superRight]],
  [0xffff, [0xe053 /* Delete */]],
  [0xfe03, [SCANCODE.altRight /* ISO_Level3_Shift */]],
  // XF86: volume down, mute, volume up, play, stop, previous, next, home page, mail.
  [0x1008_ff11, [0xe02e, 0xe020, 0xe030, 0xe022, 0xe024, 0xe010, 0xe019, 0xe032, 0xe06c]],
  // Search; calculator.
  [0x1008_ff1b, [0xe065]],
  [0x1008_ff1d, [0xe021]],
  // Back, forward, stop, refresh, power, wake up; sleep, favourites; media, my computer.
  [0x1008_ff26, [0xe06a, 0xe069, 0xe068, 0xe067, 0xe05e, 0xe063]],
  [0x1008_ff2f, [0xe05f, 0xe066]],
  [0x1008_ff32, [0xe06d, 0xe06b]],
  [0x1008_ff73, [0xe067 /* Reload */]],
];

/** Backwards with Shift; nobody has a key for it alone. */
const LEFT_TAB = 0xfe20;

const KEYSYMS: ReadonlyMap<number, KeyPosition> = new Map<number, KeyPosition>([
  ...KEYSYM_RUNS.flatMap(([first, scancodes]) =>
    scancodes.map((scancode, i): [number, KeyPosition] => [
      first + i,
      { scancode, isShifted: null, isAltGr: false },
    ]),
  ),
  [LEFT_TAB, { scancode: SCANCODE.tab, isShifted: true, isAltGr: false }],
]);

const SPACE = 0x20;

const CHARACTERS: ReadonlyMap<number, ReadonlyMap<number, KeyPosition>> = new Map(
  Array.from(LAYOUTS, ([layout, rows]) => [layout, charactersOf(rows)]),
);

function charactersOf(rows: readonly Row[]): ReadonlyMap<number, KeyPosition> {
  const positions = new Map<number, KeyPosition>();
  for (const [first, plain, shifted, altGr = ""] of rows) {
    for (const [characters, isShifted, isAltGr] of [
      [plain, false, false],
      [shifted, true, false],
      [altGr, false, true],
    ] as const) {
      for (const [i, character] of Array.from(characters).entries()) {
        const codePoint = character.codePointAt(0) ?? 0;
        // The first place is the one that needs the fewest fingers. A space stands for no character.
        if (codePoint === SPACE || positions.has(codePoint)) continue;
        positions.set(codePoint, { scancode: first + i, isShifted, isAltGr });
      }
    }
  }
  return positions.set(SPACE, { scancode: SCANCODE.space, isShifted: null, isAltGr: false });
}

/** True for a layout whose keys are known here. */
export function isKnownLayout(layout: number): boolean {
  return CHARACTERS.has(layout);
}

/** Where a keyboard of a layout makes a code point, null where it does not, and where the layout is not known. */
export function positionOfCharacter(codePoint: number, layout: number = US_LAYOUT): KeyPosition | null {
  return CHARACTERS.get(layout)?.get(codePoint) ?? null;
}

/** Where a keyboard has a key that types no character, by its keysym; null for all others. */
export function positionOfKey(keysym: number): KeyPosition | null {
  return KEYSYMS.get(keysym) ?? null;
}

/**
 * A key by the number that viewers send (rfbproto "QEMU Extended Key Event": an extended code has bit 7 set instead of
 * its prefix); null for what is none.
 */
export function scancodeOfViewer(number: number): number | null {
  if (number === 0xc6) return SCANCODE.pause;
  if (number === 0x54) return SCANCODE.printScreen;
  const code = number & 0x7f;
  if (number <= 0 || number > 0xff || code === 0) return null;
  return number & 0x80 ? EXTENDED | code : code;
}
