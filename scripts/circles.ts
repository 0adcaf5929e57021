import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { importsOf, listSources } from "./imports.ts";

/**
 * Circles of imports among the TypeScript files below `root`, types included, for who reads one file of a circle has to
 * read them all. Of files that are tangled with each other one shortest circle is told: "a.ts > b.ts > a.ts".
 */
export function findCircles(root: string): string[] {
  const files = new Set(listSources(root));
  const imported = new Map<string, string[]>();
  for (const file of files) {
    const targets = importsOf(join(root, file))
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ specifier }) => posix.join(posix.dirname(file), specifier));
    imported.set(
      file,
      [...new Set(targets)].filter((target) => files.has(target)),
    );
  }
  const told = new Set<string>();
  const circles: string[] = [];
  for (const file of files) {
    const circle = told.has(file) ? null : shortestBack(imported, file);
    if (circle === null) continue;
    for (const one of circle) told.add(one);
    circles.push([...circle, file].join(" > "));
  }
  return circles;
}

/** The fewest files that lead from `start` back to it; null where nothing does. */
function shortestBack(imported: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const target of imported.get(file) ?? []) {
      if (target === start) return pathTo(file, cameFrom);
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      queue.push(target);
    }
  }
  return null;
}

function pathTo(file: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path: string[] = [];
  for (let at: string | undefined = file; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const circles = findCircles(resolve(dirname(fileURLToPath(import.meta.url)), "../src"));
  for (const circle of circles) {
    process.stderr.write(`circle of imports in src/: ${circle}; move what both need to a file below them\n`);
  }
  if (circles.length > 0) process.exitCode = 1;
}
