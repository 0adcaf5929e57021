import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout's folder. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where a finished build says what it was made from. */
export const STAMP = join(ROOT, "dist", ".source-hash");

const INPUTS = [
  "src",
  "package.json",
  "package-lock.json",
  "tsconfig.base.json",
  "tsconfig.json",
  "vite.config.ts",
  "scripts/client-plugins.ts",
  "vite.extension.config.ts",
  "vite.server.config.ts",
  "scripts/pack-extension.mjs",
];

/** SHA-256, in hex, over the names and contents of all that goes into dist/. Times do not count: a clone has new ones. */
export function hashSources() {
  const hash = createHash("sha256");
  for (const file of INPUTS.flatMap(listFiles).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** True where dist/ was made from the sources as they are now. */
export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === hashSources();
}

function listFiles(input) {
  const path = join(ROOT, input);
  if (!existsSync(path)) return [];
  if (input.includes(".")) return [input];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).split(sep).join("/"));
}
