import { readdirSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A folder of src/ with more files of its own than this hides rooms (STYLE.md). */
export const MOST_FILES = 25;

/** Folders whose files are one thing of a kind each, listed in one place: more of them make the folder no harder to read. */
export const ROWS_OF_A_KIND: readonly string[] = ["src/mcp/tools", "src/protocols/rfb/encodings"];

/** Folders below `root`'s src/, itself included, with more than MOST_FILES files of their own. */
export function findLargeFolders(root: string): { folder: string; files: number }[] {
  const counts = new Map<string, number>();
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const folder = entry.parentPath.slice(root.length + 1).replaceAll(sep, "/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .map(([folder, files]) => ({ folder, files }))
    .filter(({ folder, files }) => files > MOST_FILES && !ROWS_OF_A_KIND.includes(folder));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const large = findLargeFolders(resolve(fileURLToPath(import.meta.url), "../.."));
  for (const { folder, files } of large) {
    process.stderr.write(
      `${folder} has ${files} files of its own, at most ${MOST_FILES} wanted: give what belongs together a folder below it\n`,
    );
  }
  if (large.length > 0) process.exitCode = 1;
}
