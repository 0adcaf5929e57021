import { WebError } from "./error.ts";

/** Deeper than any message of ours; recursive validators further in stay far from the end of their stack. */
const MAX_DEPTH = 64;

/** Throws WebError invalid_json for a text whose arrays and objects nest deeper than 64. */
export function checkDepth(json: string): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isText) {
      if (code === 0x5c /* \ */) at += 1;
      else if (code === 0x22 /* " */) isText = false;
    } else if (code === 0x22) {
      isText = true;
    } else if (code === 0x5b /* [ */ || code === 0x7b /* { */) {
      depth += 1;
      if (depth > MAX_DEPTH) {
        throw new WebError("invalid_json", `the body nests deeper than ${MAX_DEPTH} levels`);
      }
    } else if (code === 0x5d /* ] */ || code === 0x7d /* } */) {
      depth -= 1;
    }
  }
}
