import { WebError } from "./error.ts";

/** Deeper than any message of ours; recursive validators further in stay far from the end of their stack. */
const MAX_DEPTH = 64;

/** More than any call has: of 1 MiB of nothing but values JSON.parse makes half a million, in 60 ms. */
const MOST_VALUES = 32_000;

/** A name that JSON.parse has not met takes it a microsecond; a call has some dozens, again and again. */
const MOST_NAMES = 1000;

/** Different names count once by this many bits of their hash. */
const NAME_BITS = 16;

/** WebError invalid_json for a text that nests deeper than 64, or has more values or names than JSON.parse reads in a turn of the loop; else null. */
export function faultOfJson(json: string): WebError | null {
  let depth = 0;
  let isText = false;
  let values = 1;
  let hash = 0;
  let names = 0;
  // A short text has no room for so many.
  const isNamed = json.length < 4 * MOST_NAMES ? null : new Uint8Array(1 << NAME_BITS);
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isText) {
      if (code === 0x22 /* " */) isText = false;
      else hash = Math.imul(hash, 0x01000193) ^ (code === 0x5c /* \ */ ? json.charCodeAt(++at) : code);
    } else if (code === 0x22) {
      isText = true;
      hash = 0;
    } else if (code === 0x3a /* : */ && isNamed !== null) {
      const name = (hash ^ (hash >>> NAME_BITS)) & ((1 << NAME_BITS) - 1);
      if (isNamed[name] === 0) names += 1;
      isNamed[name] = 1;
    } else if (code === 0x2c /* , */) {
      values += 1;
    } else if (code === 0x5b /* [ */ || code === 0x7b /* { */) {
      depth += 1;
      if (depth > MAX_DEPTH) return refusal(`nests deeper than ${MAX_DEPTH} levels`);
    } else if (code === 0x5d /* ] */ || code === 0x7d /* } */) {
      depth -= 1;
    }
  }
  if (values > MOST_VALUES) return refusal(`has more than ${MOST_VALUES} values`);
  if (names > MOST_NAMES) return refusal(`has more than ${MOST_NAMES} different names`);
  return null;
}

function refusal(what: string): WebError {
  return new WebError("invalid_json", `the body ${what}, expected fewer`);
}
