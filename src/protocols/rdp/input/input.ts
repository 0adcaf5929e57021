import { LittleEndianWriter } from "../little-endian-writer.ts";
import { EXTENDED, SCANCODE } from "./scancodes.ts";

/** What goes up to a host, MS-RDPBCGR 2.2.8.1.1.3.1.1 and 2.2.8.1.2.2. */
export type InputEvent =
  /** `scancode` as SCANCODE has them; never `pause`, which is several. */
  | { readonly kind: "key"; readonly scancode: number; readonly isE1: boolean; readonly isDown: boolean }
  /** One UTF-16 unit. */
  | { readonly kind: "unicode"; readonly unit: number; readonly isDown: boolean }
  /** `flags`: PTRFLAGS. */
  | { readonly kind: "mouse"; readonly flags: number; readonly x: number; readonly y: number }
  /** `flags`: PTRXFLAGS, the fourth and fifth button. */
  | { readonly kind: "extendedMouse"; readonly flags: number; readonly x: number; readonly y: number }
  /** Lets go of all keys there and sets its locks. */
  | { readonly kind: "synchronise"; readonly locks: number };

/** Lock keys that are on: flags of the synchronise event, MS-RDPBCGR 2.2.8.1.1.3.1.1.5. */
export const LOCK = { scroll: 1, num: 2, caps: 4, kana: 8 } as const;

/** PTRFLAGS, MS-RDPBCGR 2.2.8.1.1.3.1.1.3. */
const POINTER = {
  wheelMask: 0x01ff,
  wheel: 0x0200,
  horizontalWheel: 0x0400,
  move: 0x0800,
  left: 0x1000,
  right: 0x2000,
  middle: 0x4000,
  down: 0x8000,
} as const;

/** PTRXFLAGS, MS-RDPBCGR 2.2.8.1.1.3.1.1.4. */
const EXTENDED_POINTER = { back: 0x0001, forward: 0x0002, down: 0x8000 } as const;

/** One notch of a wheel, WHEEL_DELTA. */
const NOTCH = 120;
/** A turn that nobody makes: what goes beyond is cut, so that no number makes endless events. */
const MOST_NOTCHES = 1000;

export type Button = "left" | "middle" | "right" | "back" | "forward";

/** A key goes down or up; Pause is two keys, and comes up as it goes down. */
export function keyEvents(scancode: number, isDown: boolean): InputEvent[] {
  if (scancode === SCANCODE.pause) return pauseEvents(isDown);
  return [{ kind: "key", scancode, isE1: false, isDown }];
}

/** Pause is E1 1D 45 and E1 9D C5 to a keyboard: MS-RDPBCGR 2.2.8.1.1.3.1.1.1, KBDFLAGS_EXTENDED1. */
function pauseEvents(isDown: boolean): InputEvent[] {
  return [
    { kind: "key", scancode: 0x1d, isE1: true, isDown },
    { kind: "key", scancode: 0x45, isE1: false, isDown },
  ];
}

/** A character by its code point, beyond the keyboard's layout: both halves of a pair go down, then both up. */
export function unicodeEvents(codePoint: number, isDown: boolean): InputEvent[] {
  const text = String.fromCodePoint(codePoint);
  return Array.from({ length: text.length }, (_, i) => ({
    kind: "unicode" as const,
    unit: text.charCodeAt(i),
    isDown,
  }));
}

export function moveEvent(x: number, y: number): InputEvent {
  return { kind: "mouse", flags: POINTER.move, ...place(x, y) };
}

export function buttonEvent(button: Button, isDown: boolean, x: number, y: number): InputEvent {
  const at = place(x, y);
  if (button === "back" || button === "forward") {
    const flags = EXTENDED_POINTER[button] | (isDown ? EXTENDED_POINTER.down : 0);
    return { kind: "extendedMouse", flags, ...at };
  }
  return { kind: "mouse", flags: POINTER[button] | (isDown ? POINTER.down : 0), ...at };
}

/**
 * The wheel turned by a number of notches, fractions allowed, up and right positive. An event for each notch: xrdp and
 * FreeRDP's shadow count events and not their units, of which one carries 255 at most.
 */
export function wheelEvents(
  axis: "vertical" | "horizontal",
  notches: number,
  x: number,
  y: number,
): InputEvent[] {
  const kind = axis === "vertical" ? POINTER.wheel : POINTER.horizontalWheel;
  const units = Math.round(Math.min(MOST_NOTCHES, Math.max(-MOST_NOTCHES, notches)) * NOTCH);
  const events: InputEvent[] = [];
  for (let left = units; left !== 0; ) {
    const step = Math.sign(left) * Math.min(NOTCH, Math.abs(left));
    left -= step;
    // Nine bits, the uppermost the sign.
    events.push({ kind: "mouse", flags: kind | (step & POINTER.wheelMask), ...place(x, y) });
  }
  return events;
}

function place(x: number, y: number): { readonly x: number; readonly y: number } {
  return { x: clamped(x), y: clamped(y) };
}

function clamped(value: number): number {
  return Math.min(0xffff, Math.max(0, Math.round(value)));
}

/** Codes and flags of fast-path events, MS-RDPBCGR 2.2.8.1.2.2. */
const FAST = { key: 0, mouse: 1, extendedMouse: 2, synchronise: 3, unicode: 4 } as const;
const FAST_KEY = { release: 1, extended: 2, extended1: 4 } as const;
const MOST_FAST_EVENTS = 255;
/** So many fit in the header; more have a byte of their own. */
const MOST_HEADER_EVENTS = 15;

/**
 * Fast-path input PDUs that carry the events in order, MS-RDPBCGR 2.2.8.1.2: U8 header (action 2 bits, count 4 bits,
 * flags 2 bits), length of 1 or 2 bytes, U8 count where the header has none, events.
 */
export function fastPathInput(events: readonly InputEvent[]): Uint8Array {
  const all = new LittleEndianWriter(16 + events.length * 7);
  for (let at = 0; at < events.length; at += MOST_FAST_EVENTS) {
    const some = events.slice(at, at + MOST_FAST_EVENTS);
    const body = new LittleEndianWriter(some.length * 7);
    for (const event of some) putFast(body, event);
    const isCounted = some.length > MOST_HEADER_EVENTS;
    const rest = (isCounted ? 1 : 0) + body.length;
    const isShort = 2 + rest < 0x80;
    all.u8(isCounted ? 0 : some.length << 2);
    if (isShort) all.u8(2 + rest);
    else all.bigU16(0x8000 | (3 + rest));
    if (isCounted) all.u8(some.length);
    all.put(body.bytes());
  }
  return all.bytes();
}

function putFast(to: LittleEndianWriter, event: InputEvent): void {
  const header = (flags: number): number => (FAST[event.kind] << 5) | flags;
  switch (event.kind) {
    case "key": {
      const release = event.isDown ? 0 : FAST_KEY.release;
      const extended = isExtended(event.scancode) ? FAST_KEY.extended : 0;
      to.u8(header(release | extended | (event.isE1 ? FAST_KEY.extended1 : 0))).u8(event.scancode & 0xff);
      break;
    }
    case "unicode":
      to.u8(header(event.isDown ? 0 : FAST_KEY.release)).u16(event.unit);
      break;
    case "synchronise":
      to.u8(header(event.locks));
      break;
    default:
      to.u8(header(0)).u16(event.flags).u16(event.x).u16(event.y);
  }
}

/** Message types of slow-path events, MS-RDPBCGR 2.2.8.1.1.3.1.1. */
const SLOW = { synchronise: 0, key: 4, unicode: 5, mouse: 0x8001, extendedMouse: 0x8002 } as const;
const SLOW_KEY = { extended: 0x0100, extended1: 0x0200, wasDown: 0x4000, release: 0x8000 } as const;

/**
 * The body of an Input PDU, MS-RDPBCGR 2.2.8.1.1.3: U16 count, pad 2, events of 12 bytes: U32 time (not heeded), U16
 * type, 6 bytes of data. For hosts without fast-path input.
 */
export function slowPathInput(events: readonly InputEvent[]): Uint8Array {
  const to = new LittleEndianWriter(4 + events.length * 12).u16(events.length).pad(2);
  for (const event of events) {
    to.u32(0).u16(SLOW[event.kind]);
    const release = SLOW_KEY.wasDown | SLOW_KEY.release;
    switch (event.kind) {
      case "key": {
        const extended = isExtended(event.scancode) ? SLOW_KEY.extended : 0;
        to.u16((event.isDown ? 0 : release) | extended | (event.isE1 ? SLOW_KEY.extended1 : 0));
        to.u16(event.scancode & 0xff).pad(2);
        break;
      }
      case "unicode":
        to.u16(event.isDown ? 0 : SLOW_KEY.release)
          .u16(event.unit)
          .pad(2);
        break;
      case "synchronise":
        to.pad(2).u32(event.locks);
        break;
      default:
        to.u16(event.flags).u16(event.x).u16(event.y);
    }
  }
  return to.bytes();
}

function isExtended(scancode: number): boolean {
  return (scancode & 0xff00) === EXTENDED;
}
