import { copyRect } from "./copy-rect.ts";
import type { Encoding } from "./encoding.ts";
import { hextile } from "./hextile.ts";
import { raw } from "./raw.ts";
import { rre } from "./rre.ts";
import { tight } from "./tight.ts";
import { zrle } from "./zrle.ts";

/** The encodings of pixels that we speak, in the order we ask a server for them. */
export const ENCODINGS: readonly Encoding[] = Object.freeze([copyRect, tight, zrle, hextile, rre, raw]);

const byNumber: ReadonlyMap<number, Encoding> = new Map(
  ENCODINGS.map((encoding) => [encoding.number, encoding]),
);

/** The encoding of a number, undefined for pseudo-encodings and those we do not speak. */
export function encodingByNumber(number: number): Encoding | undefined {
  return byNumber.get(number);
}
