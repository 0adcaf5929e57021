import { readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of src/ near this many lines is asking to be split (STYLE.md). */
export const MOST_LINES = 400;

/** Source files below `root`'s src/ with more than MOST_LINES lines. */
export function findLongFiles(root: string): { file: string; lines: number }[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.split(sep).join("/")}`)
    .filter((file) => /\.(tsx?|css)$/.test(file))
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > MOST_LINES);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const long = findLongFiles(resolve(fileURLToPath(import.meta.url), "../.."));
  for (const { file, lines } of long) {
    process.stderr.write(`${file} has ${lines} lines, at most ${MOST_LINES} wanted: split it by noun\n`);
  }
  if (long.length > 0) process.exitCode = 1;
}
