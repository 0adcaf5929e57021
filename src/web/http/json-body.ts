import { WebError } from "./error.ts";

/** Deeper than any message of ours; recursive validators further in stay far from the end of their stack. */
const MAX_DEPTH = 64;

/** More than any call has: of 1 MiB of nothing but values JSON.parse makes half a million, in 60 ms. */
const MOST_VALUES = 32_000;

/** Arrays and objects: of 1 MiB of nested empty ones, which need no comma, it makes half a million. */
const MOST_PARENTS = 16_000;

/** All names, each time that one stands there: objects of a few known names take JSON.parse half a microsecond a name. */
const MOST_NAMES = 16_000;

/** A name that JSON.parse has not met takes it a microsecond; a call has some dozens, again and again. */
const MOST_DIFFERENT_NAMES = 1000;

/** Strings of more than 16,383 letters have the same hash where they are as long: each is compared with all that live. */
const LONGEST_NAME = 1000;

/** WebError invalid_json for a text that nests deeper than 64, or has more values or more or longer names than JSON.parse reads in a turn of the loop; else null. */
export function faultOfJson(json: string): WebError | null {
  let depth = 0;
  let isText = false;
  let values = 1;
  let parents = 0;
  let from = 0;
  let to = 0;
  let names = 0;
  const different = new Set<string>();
  // A short text has no room for so many.
  const isShort = json.length < 4 * MOST_DIFFERENT_NAMES;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isText) {
      if (code === 0x5c /* \ */) at += 1;
      else if (code === 0x22 /* " */) {
        isText = false;
        to = at;
      }
    } else if (code === 0x22) {
      isText = true;
      from = at;
    } else if (code === 0x3a /* : */ && !isShort) {
      names += 1;
      if (names > MOST_NAMES) return refusal(`has more than ${MOST_NAMES} names`);
      // With its quote: the hash of a text of digits alone is known, and so are many that have the same.
      if (to - from > LONGEST_NAME) return refusal(`has a name longer than ${LONGEST_NAME} characters`);
      different.add(json.slice(from, to));
      from = to;
      if (different.size > MOST_DIFFERENT_NAMES) {
        return refusal(`has more than ${MOST_DIFFERENT_NAMES} different names`);
      }
    } else if (code === 0x2c /* , */) {
      values += 1;
      if (values > MOST_VALUES) return refusal(`has more than ${MOST_VALUES} values`);
    } else if (code === 0x5b /* [ */ || code === 0x7b /* { */) {
      depth += 1;
      if (depth > MAX_DEPTH) return refusal(`nests deeper than ${MAX_DEPTH} levels`);
      parents += 1;
      if (parents > MOST_PARENTS) return refusal(`has more than ${MOST_PARENTS} arrays and objects`);
    } else if (code === 0x5d /* ] */ || code === 0x7d /* } */) {
      depth -= 1;
    }
  }
  return null;
}

function refusal(what: string): WebError {
  return new WebError("invalid_json", `the body ${what}, expected fewer`);
}
