import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One file a target, one input a line, base64. */
function fileOf(target: string): string {
  return fileURLToPath(new URL(`corpus/${target}.txt`, import.meta.url));
}

/** The committed inputs of a target, none where there is no file yet. */
export function readCorpus(target: string): Uint8Array[] {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => new Uint8Array(Buffer.from(line, "base64")));
}

/** Writes a target's inputs, the shortest first; gives the file's name. */
export function writeCorpus(target: string, inputs: readonly Uint8Array[]): string {
  const lines = inputs.map((input) => Buffer.from(input).toString("base64"));
  lines.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  writeFileSync(fileOf(target), lines.map((line) => `${line}\n`).join(""));
  return fileOf(target);
}
