import { copyRect } from "./copy-rect.ts";
import { corre } from "./corre.ts";
import type { Encoding } from "./encoding.ts";
import { hextile } from "./hextile.ts";
import { jpeg } from "./jpeg.ts";
import { raw } from "./raw.ts";
import { rre } from "./rre.ts";
import { tight } from "./tight.ts";
import { tightPng } from "./tight-png.ts";
import { trle } from "./trle.ts";
import { zlib } from "./zlib.ts";
import { zrle } from "./zrle.ts";
import { zywrle } from "./zywrle.ts";

/** The encodings of pixels that a server is asked for where nothing else is configured, best first. */
export const ENCODINGS: readonly Encoding[] = Object.freeze([copyRect, tight, zrle, hextile, rre, raw]);

/** All that we speak: those, and what is asked for only by name, being worse or lossy. */
export const ALL_ENCODINGS: readonly Encoding[] = Object.freeze([
  ...ENCODINGS,
  tightPng,
  zlib,
  trle,
  corre,
  zywrle,
  jpeg,
]);

/** Names for a configuration, in lower case: "tight", "zrle", "hextile", … */
export const ENCODING_NAMES: readonly string[] = Object.freeze(ALL_ENCODINGS.map(({ name }) => name));

const byNumber: ReadonlyMap<number, Encoding> = new Map(
  ALL_ENCODINGS.map((encoding) => [encoding.number, encoding]),
);
const byName: ReadonlyMap<string, Encoding> = new Map(
  ALL_ENCODINGS.map((encoding) => [encoding.name, encoding]),
);

/** The encoding of a number, undefined for pseudo-encodings and those we do not speak. */
export function encodingByNumber(number: number): Encoding | undefined {
  return byNumber.get(number);
}

/** The encoding of a name among ENCODING_NAMES, undefined for others. */
export function encodingByName(name: string): Encoding | undefined {
  return byName.get(name);
}
