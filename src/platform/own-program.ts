import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";

/**
 * The command that starts this program anew, to be followed by its options: the stand-alone executable by itself, or Node
 * with `main`, the URL of the program's main.js.
 */
export function ownProgram(main: URL, nodeOptions: readonly string[] = []): [string, ...string[]] {
  return isSea() ? [process.execPath] : [process.execPath, ...nodeOptions, fileURLToPath(main)];
}
