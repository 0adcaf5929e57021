import * as z from "zod";

/** Keys that can be held during a click, with their X11 keysyms (keysymdef.h, the left one of a pair). */
const KEYSYMS = {
  shift: 0xffe1,
  ctrl: 0xffe3,
  alt: 0xffe9,
  // ISO_Level3_Shift
  altgr: 0xfe03,
  meta: 0xffe7,
  super: 0xffeb,
} as const;

type HeldKey = keyof typeof KEYSYMS;

const HELD_KEYS = ["shift", "ctrl", "alt", "altgr", "meta", "super"] as const satisfies HeldKey[];

export const holdKeysField = z
  .array(z.enum(HELD_KEYS))
  .max(HELD_KEYS.length)
  .optional()
  .describe(`Keys held meanwhile: ${HELD_KEYS.join(", ")}.`);

export function keysymOf(key: HeldKey): number {
  return KEYSYMS[key];
}
