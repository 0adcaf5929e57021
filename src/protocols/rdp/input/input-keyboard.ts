import { codePointOf } from "../../keysym-characters.ts";
import { type InputEvent, keyEvents, LOCK, unicodeEvents } from "./input.ts";
import { US_LAYOUT } from "./keyboard-layouts.ts";
import {
  isKnownLayout,
  type KeyPosition,
  positionOfCharacter,
  positionOfKey,
  SCANCODE,
  scancodeOfViewer,
} from "./scancodes.ts";

/** Keysyms of AltGr: ISO_Level3_Shift and Mode_switch. */
const LEVEL_SHIFTS: readonly number[] = [0xfe03, 0xff7e];
const KEYPAD_0 = 0xffb0;
const KEYPAD_DECIMAL = 0xffae;
const DIGIT_0 = 0x30;
const PERIOD = 0x2e;

const SHIFTS: readonly number[] = [SCANCODE.shiftLeft, SCANCODE.shiftRight];
/** With one of these down a key is a command, and no character. */
const COMMANDS: readonly number[] = [
  SCANCODE.controlLeft,
  SCANCODE.controlRight,
  SCANCODE.altLeft,
  SCANCODE.altRight,
  SCANCODE.superLeft,
  SCANCODE.superRight,
];

/** How a keysym was pressed, so that it comes up the same way. */
type Press =
  | { readonly kind: "key"; readonly scancode: number }
  | { readonly kind: "unicode"; readonly codePoint: number }
  /** Nothing went to the host. */
  | { readonly kind: "silent" };

/**
 * A keyboard that is worked by keysyms, as viewers and agents have them: a character is the key that makes it on the
 * layout the host was told of, with Shift and AltGr pressed or lifted for it as need be; one that has no key is a
 * Unicode event. Remembers what is down.
 */
export class RdpKeyboard {
  readonly #host: { readonly hasUnicodeInput: boolean };
  readonly #layout: number;
  readonly #held = new Map<number, Press>();
  /** What the last synchronise event set, and lock keys have changed since. */
  #locks: number = LOCK.num;

  /**
   * `host`: its features, looked at for each character. `layout`: Windows' number of the one that the host was told; on
   * one that is not known here characters are Unicode events, and where those are not taken, keys of a US keyboard.
   */
  constructor(host: { readonly hasUnicodeInput: boolean }, layout: number = US_LAYOUT) {
    this.#host = host;
    this.#layout = layout;
  }

  /** Lock keys that are on at the host, flags of LOCK. */
  get locks(): number {
    return this.#locks;
  }

  /** The host says which lights are on: Set Keyboard Indicators, MS-RDPBCGR 2.2.8.2.1. */
  hostHasLocks(locks: number): void {
    this.#locks = locks;
  }

  /** The first event of a session: nothing is held, Num Lock alone is on. Forgets what was. */
  synchronise(): InputEvent[] {
    this.#held.clear();
    this.#locks = LOCK.num;
    return [{ kind: "synchronise", locks: this.#locks }];
  }

  /**
   * A key goes down or up; `number` is the viewer's for its place on the keyboard, null where not known. Null where the
   * host has no way to take it: then nothing was pressed.
   */
  key(keysym: number, isDown: boolean, number: number | null): InputEvent[] | null {
    return isDown ? this.#press(keysym, number) : this.#release(keysym);
  }

  /** Lets go of all that is down, the last first. */
  releaseAll(): InputEvent[] {
    return [...this.#held.keys()].reverse().flatMap((keysym) => this.#release(keysym));
  }

  #press(keysym: number, number: number | null): InputEvent[] | null {
    const position = this.#positionOf(keysym, number);
    if (position !== null) {
      // A key that repeats turns its lock once.
      if (!this.#isDown(position.scancode)) this.#turnLock(position.scancode);
      this.#held.set(keysym, { kind: "key", scancode: position.scancode });
      return this.#shifted(position, keyEvents(position.scancode, true));
    }
    // AltGr makes characters, and those come by keysyms of their own; alone it would be Alt, and open a menu.
    if (LEVEL_SHIFTS.includes(keysym)) {
      this.#held.set(keysym, { kind: "silent" });
      return [];
    }
    const codePoint = codePointOf(keysym);
    if (codePoint === null || !this.#host.hasUnicodeInput) return null;
    this.#held.set(keysym, { kind: "unicode", codePoint });
    return unicodeEvents(codePoint, true);
  }

  #release(keysym: number): InputEvent[] {
    const press = this.#held.get(keysym);
    this.#held.delete(keysym);
    switch (press?.kind) {
      case "key":
        return this.#isDown(press.scancode) ? [] : keyEvents(press.scancode, false);
      case "unicode":
        return unicodeEvents(press.codePoint, false);
      default:
        return [];
    }
  }

  #positionOf(keysym: number, number: number | null): KeyPosition | null {
    if (LEVEL_SHIFTS.includes(keysym)) return null;
    if ((this.#locks & LOCK.num) === 0) {
      // The keypad moves the caret now: its digits are those above the letters.
      if (keysym >= KEYPAD_0 && keysym <= KEYPAD_0 + 9) return this.#characterAt(DIGIT_0 + keysym - KEYPAD_0);
      if (keysym === KEYPAD_DECIMAL) return this.#characterAt(PERIOD);
    }
    const key = positionOfKey(keysym);
    if (key !== null) return key;
    const codePoint = codePointOf(keysym);
    const position = codePoint === null ? null : this.#characterAt(codePoint);
    if (position !== null) return this.#withLocks(position, codePoint ?? 0);
    const isCharacter = codePoint !== null && this.#host.hasUnicodeInput;
    if (isCharacter && !this.#isCommand()) return null;
    const scancode = number === null ? null : scancodeOfViewer(number);
    return scancode === null ? null : { scancode, isShifted: null, isAltGr: false };
  }

  #characterAt(codePoint: number): KeyPosition | null {
    const isGuess = !isKnownLayout(this.#layout);
    // A command is a place on the keyboard, of which most layouts have the US one.
    if (isGuess && this.#host.hasUnicodeInput && !this.#isCommand()) return null;
    return positionOfCharacter(codePoint, isGuess ? US_LAYOUT : this.#layout);
  }

  /** A letter under Caps Lock needs the other case's Shift, unless it is a command. */
  #withLocks(position: KeyPosition, codePoint: number): KeyPosition {
    const isLetter = /^\p{L}$/u.test(String.fromCodePoint(codePoint));
    if (!isLetter || position.isAltGr) return position;
    if (this.#isCommand()) return { ...position, isShifted: null };
    const isInverted = (this.#locks & LOCK.caps) !== 0;
    return isInverted ? { ...position, isShifted: position.isShifted !== true } : position;
  }

  /** The events, with Shift and AltGr as the key needs them around it and as they were afterwards. */
  #shifted({ isShifted, isAltGr }: KeyPosition, keys: InputEvent[]): InputEvent[] {
    const events = isAltGr ? around(SCANCODE.altRight, keys) : keys;
    const held = SHIFTS.filter((scancode) => this.#isDown(scancode));
    if (isShifted === null || isShifted === held.length > 0) return events;
    if (isShifted) return around(SCANCODE.shiftLeft, events);
    if (this.#isCommand()) return events;
    const all = (isDown: boolean): InputEvent[] => held.flatMap((scancode) => keyEvents(scancode, isDown));
    return [...all(false), ...events, ...all(true)];
  }

  #turnLock(scancode: number): void {
    if (scancode === SCANCODE.capsLock) this.#locks ^= LOCK.caps;
    if (scancode === SCANCODE.numLock) this.#locks ^= LOCK.num;
    if (scancode === SCANCODE.scrollLock) this.#locks ^= LOCK.scroll;
  }

  #isCommand(): boolean {
    return COMMANDS.some((scancode) => this.#isDown(scancode));
  }

  #isDown(scancode: number): boolean {
    return [...this.#held.values()].some((press) => press.kind === "key" && press.scancode === scancode);
  }
}

function around(modifier: number, events: readonly InputEvent[]): InputEvent[] {
  return [...keyEvents(modifier, true), ...events, ...keyEvents(modifier, false)];
}
