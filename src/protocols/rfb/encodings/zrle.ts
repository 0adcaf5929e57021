import { ENCODING } from "../numbers.ts";
import type { Encoding } from "./encoding.ts";
import { decodeZrle } from "./zrle-decode.ts";
import { encodeZrle } from "./zrle-encode.ts";

/** ZRLE, RFC 6143 section 7.7.6: tiles of 64x64, palettes and runs, then zlib. */
export const zrle: Encoding = {
  number: ENCODING.zrle,
  name: "zrle",
  decode: decodeZrle,
  encode: encodeZrle,
};
