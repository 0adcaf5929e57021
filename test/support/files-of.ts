import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder, by its path. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const facts = statSync(path);
      return facts.isDirectory() ? filesOf(path) : facts.isFile() ? [path] : [];
    });
}
