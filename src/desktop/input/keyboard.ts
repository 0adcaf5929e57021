import { codePointOf } from "../../protocols/keysym-characters.ts";

/** Keysyms by their X11 names, as far as actions need them. */
export const KEYSYM = {
  backSpace: 0xff08,
  tab: 0xff09,
  return: 0xff0d,
  escape: 0xff1b,
  delete: 0xffff,
  shiftL: 0xffe1,
  shiftR: 0xffe2,
  controlL: 0xffe3,
  controlR: 0xffe4,
  metaL: 0xffe7,
  metaR: 0xffe8,
  altL: 0xffe9,
  altR: 0xffea,
  superL: 0xffeb,
  superR: 0xffec,
  hyperL: 0xffed,
  hyperR: 0xffee,
  capsLock: 0xffe5,
  /** AltGr: ISO_Level3_Shift. */
  level3Shift: 0xfe03,
  a: 0x61,
} as const;

/** Keysyms above Latin-1 are 0x01000000 + code point (X11 protocol, appendix A). */
const UNICODE_KEYSYM = 0x01000000;

/** One character to press and release; `keysym` null where no key can make it. */
export interface Stroke {
  readonly character: string;
  readonly keysym: number | null;
}

/**
 * Text as key strokes: the real keysym of each character, never a base key with Shift, because servers such as
 * x11vnc undo a Shift that the keysym does not ask for. Line ends of any kind become Return.
 */
export function strokesOf(text: string): Stroke[] {
  return Array.from(text.replace(/\r\n?/g, "\n"), (character) => ({
    character,
    keysym: keysymOf(character),
  }));
}

/** The keysym of a character, null for control characters and lone surrogates. */
export function keysymOf(character: string): number | null {
  return keysymOfPoint(character.codePointAt(0) ?? 0);
}

/** The same of a code point. */
export function keysymOfPoint(code: number): number | null {
  if (code === 0x0a) return KEYSYM.return;
  if (code === 0x09) return KEYSYM.tab;
  if (code === 0x08) return KEYSYM.backSpace;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff)) return null;
  return code <= 0xff ? code : UNICODE_KEYSYM + code;
}

/** Whether caps lock would turn any of it into something else. */
export function hasCase(text: string | Uint32Array): boolean {
  if (typeof text !== "string") return text.some((point) => hasCase(String.fromCodePoint(point)));
  return text.toLowerCase() !== text || text.toUpperCase() !== text;
}

/** Keysyms of keys for media, brightness and the like, XF86keysym.h: keymaps of X.Org have them all. */
const FIRST_VENDOR_KEYSYM = 0x1008_0000;
const LAST_VENDOR_KEYSYM = 0x1008_ffff;

/** True for keys and characters that are on most layouts, so that a server need not make a key for them first. */
export function isOnMostLayouts(keysym: number): boolean {
  const isVendors = keysym >= FIRST_VENDOR_KEYSYM && keysym <= LAST_VENDOR_KEYSYM;
  return keysym <= 0x7e || (keysym >= 0xff00 && keysym <= 0xffff) || isVendors;
}

/** With one of these a key is a command, and writes nothing. */
export const CHORD_MODIFIERS: readonly number[] = [
  ...[KEYSYM.controlL, KEYSYM.controlR, KEYSYM.metaL, KEYSYM.metaR, KEYSYM.altL, KEYSYM.altR],
  ...[KEYSYM.superL, KEYSYM.superR, KEYSYM.hyperL, KEYSYM.hyperR],
];

const WRITING: ReadonlySet<number> = new Set([
  ...[KEYSYM.backSpace, KEYSYM.delete, KEYSYM.capsLock],
  ...[KEYSYM.shiftL, KEYSYM.shiftR, KEYSYM.level3Shift],
]);

/** Whether a key writes or deletes letters where the focus is, or only helps to: it moves the focus nowhere. */
export function isWriting(keysym: number): boolean {
  return codePointOf(keysym) !== null || WRITING.has(keysym);
}
