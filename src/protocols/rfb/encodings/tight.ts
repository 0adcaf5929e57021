import { ENCODING } from "../numbers.ts";
import type { Encoding } from "./encoding.ts";
import { decodeTight } from "./tight-decode.ts";
import { encodeTight } from "./tight-encode.ts";

export { TIGHT_MAX_WIDTH } from "./tight-decode.ts";
export { TIGHT_MAX_AREA } from "./tight-encode.ts";

/** Tight, rfbproto "Tight Encoding": one colour, palettes, gradients or plain pixels through zlib, or JPEG. */
export const tight: Encoding = {
  number: ENCODING.tight,
  name: "tight",
  decode: decodeTight,
  encode: encodeTight,
};
