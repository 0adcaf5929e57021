import type { Link } from "../../link.ts";

/** A Chinese character, which no keyboard layout has: who can type it can type every one. */
const FAR_CHARACTER = 0x100_4e2d;

/** Where keysyms are: Latin and the older sets, then keys without characters, then Unicode up to the currency signs. */
const RANGES = [
  [0x20, 0x20ff],
  [0xfd00, 0xffff],
  [0x100_0100, 0x100_2200],
] as const;

/** The keysyms that a link can type, each tried; null where it can try every one. */
export function typeableOf(link: Link): readonly number[] | null {
  if (link.canType === undefined || link.canType(FAR_CHARACTER)) return null;
  const typeable: number[] = [];
  for (const [first, last] of RANGES) {
    for (let keysym = first; keysym <= last; keysym++) if (link.canType(keysym)) typeable.push(keysym);
  }
  return typeable;
}
