import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { PACKAGE_FOLDER } from "./package-folder.ts";

const MAIN = new URL("dist/main.js", PACKAGE_FOLDER);

/** The command that starts this program anew, to be followed by its options: the stand-alone executable by itself, or Node with main.js. */
export function ownProgram(nodeOptions: readonly string[] = []): [string, ...string[]] {
  return isSea() ? [process.execPath] : [process.execPath, ...nodeOptions, fileURLToPath(MAIN)];
}
