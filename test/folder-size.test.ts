import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { findLargeFolders, MOST_FILES, ROWS_OF_A_KIND } from "../scripts/folder-size.ts";

/** Makes `files` empty files in a folder of a made-up tree. */
function fill(root: string, folder: string, files: number): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (let i = 0; i < files; i++) writeFileSync(join(root, folder, `file-${i}.ts`), "");
}

t.test("a folder of 26 files is found, one of 25 passes", async (t) => {
  const root = t.testdir();
  fill(root, "src/desktop/large", MOST_FILES + 1);
  fill(root, "src/desktop/full", MOST_FILES);
  t.same(findLargeFolders(root), [{ folder: "src/desktop/large", files: 26 }]);
});

t.test("files of the folders below do not count", async (t) => {
  const root = t.testdir();
  fill(root, "src/web", MOST_FILES);
  fill(root, "src/web/routes", MOST_FILES);
  t.same(findLargeFolders(root), []);
});

t.test("src/ itself is a folder too", async (t) => {
  const root = t.testdir();
  fill(root, "src", MOST_FILES + 1);
  t.same(findLargeFolders(root), [{ folder: "src", files: 26 }]);
});

t.test("a folder of one kind of thing may hold more", async (t) => {
  const root = t.testdir();
  for (const folder of ROWS_OF_A_KIND) fill(root, folder, MOST_FILES + 1);
  t.same(findLargeFolders(root), []);
});

t.test("the real tree obeys", async (t) => {
  t.same(findLargeFolders(resolve(fileURLToPath(import.meta.url), "../..")), []);
});
