import { ENCODING } from "../numbers.ts";
import type { Encoding } from "./encoding.ts";
import { decodeHextile } from "./hextile-decode.ts";
import { encodeHextile } from "./hextile-encode.ts";

/** Hextile, RFC 6143 section 7.7.4: tiles of 16x16, each raw or subrectangles on a background. */
export const hextile: Encoding = {
  number: ENCODING.hextile,
  name: "hextile",
  decode: decodeHextile,
  encode: encodeHextile,
};
