import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { findCircles } from "../scripts/circles.ts";

/** Writes a made-up source tree and gives back the circles in it. */
function circlesIn(root: string, tree: Readonly<Record<string, string>>): string[] {
  for (const [file, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return findCircles(root);
}

t.test("a circle of types alone is found", async (t) => {
  const tree = {
    "desktop/a.ts": 'import type { B } from "./deep/b.ts";\nexport type A = B | null;\n',
    "desktop/deep/b.ts": 'export type B = import("../c.ts").C;\n',
    "desktop/c.ts": 'export type { A as C } from "./a.ts";\n',
  };
  t.same(circlesIn(t.testdir(), tree), ["desktop/a.ts > desktop/deep/b.ts > desktop/c.ts > desktop/a.ts"]);
});

t.test("a circle is found from a file that only leads to it, and told once", async (t) => {
  const tree = {
    "a.ts": 'import "./b.ts";\n',
    "b.ts": 'import "./c.ts";\n',
    "c.ts": 'export const load = () => import("./b.ts");\n',
    "d.ts": 'import "./d.ts";\n',
  };
  t.same(circlesIn(t.testdir(), tree), ["b.ts > c.ts > b.ts", "d.ts > d.ts"]);
});

t.test("files that share what they import make no circle", async (t) => {
  const tree = {
    "a.ts": 'import "./b.ts";\nimport "./c.ts";\nimport "node:fs";\n',
    "b.ts": 'import "./d.ts";\n',
    "c.ts": 'import "./d.ts";\n',
    "d.ts": "export const one = 1;\n",
  };
  t.same(circlesIn(t.testdir(), tree), []);
});

t.test("the real tree has none", async (t) => {
  t.same(findCircles(resolve(dirname(fileURLToPath(import.meta.url)), "../src")), []);
});
