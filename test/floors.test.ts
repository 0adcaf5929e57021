import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { findViolations, judge } from "../scripts/floors.ts";

type Tree = Readonly<Record<string, string>>;

/** Writes a made-up source tree and gives back "file:line reason" of what the rule finds in it. */
function violationsIn(folder: string, tree: Tree): string[] {
  for (const [file, text] of Object.entries(tree)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return findViolations(folder).map(({ file, line, reason }) => `${file}:${line} ${reason}`);
}

t.test("an import that goes down passes", async (t) => {
  const tree = {
    "framebuffer/rect.ts": "export const one = 1;\n",
    "protocols/queue.ts": 'export { one } from "../framebuffer/rect.ts";\n',
    "desktop/desktop.ts": 'import { one } from "../framebuffer/rect.ts";\nexport const two = one;\n',
    "web/app.ts":
      'import fs from "node:fs";\nimport { two } from "../desktop/desktop.ts";\nfs.statSync(String(two));\n',
    "main.ts": 'import "./web/app.ts";\n',
  };
  t.same(violationsIn(t.testdir(), tree), []);
});

t.test("an import that goes up is found", async (t) => {
  const tree = { "desktop/a.ts": '// a comment\nimport { b } from "../web/b.ts";\nb();\n' };
  t.same(violationsIn(t.testdir(), tree), ["desktop/a.ts:2 upward, from HEART to FACES"]);
});

t.test("an import that goes sideways is found", async (t) => {
  const tree = {
    "mcp/a.ts": 'import { b } from "../web/b.ts";\nb();\n',
    "audit/c.ts": 'import "../auth/d.ts";\n',
  };
  t.same(violationsIn(t.testdir(), tree), [
    "audit/c.ts:1 sideways, from audit/ to auth/ on SERVICES",
    "mcp/a.ts:1 sideways, from mcp/ to web/ on FACES",
  ]);
});

t.test("a picture's words know no protocol", async (t) => {
  const tree = { "framebuffer/a.ts": 'import type { B } from "../protocols/b.ts";\nexport type A = B;\n' };
  t.same(violationsIn(t.testdir(), tree), ["framebuffer/a.ts:1 framebuffer/ imports nothing but itself"]);
});

t.test("types, re-exports and dynamic imports obey the same rule", async (t) => {
  const tree = {
    "compositor/a.ts": 'import type { Desktop } from "../desktop/desktop.ts";\nexport type A = Desktop;\n',
    "compositor/b.ts": 'export type { Desktop } from "../desktop/desktop.ts";\n',
    "compositor/c.ts": 'export * from "../desktop/desktop.ts";\n',
    "compositor/d.ts": 'export type D = import("../desktop/desktop.ts").Desktop;\n',
    "compositor/e.ts": 'export const e = () => import("../desktop/desktop.ts");\n',
    "compositor/f.ts": "export const f = () => import(`../desktop/desktop.ts`);\n",
  };
  const found = violationsIn(t.testdir(), tree);
  t.same(
    found,
    ["a", "b", "c", "d", "e", "f"].map((name) => `compositor/${name}.ts:1 upward, from PICTURE to HEART`),
  );
});

t.test("GROUND imports neither Node nor packages, not even types", async (t) => {
  const tree = {
    "framebuffer/a.ts": 'import type { Buffer } from "node:buffer";\nexport type A = Buffer;\n',
    "protocols/b.ts": 'import fs from "fs";\nfs.statSync(".");\n',
    "protocols/rfb/c.ts": 'import * as z from "zod";\nz.int();\n',
  };
  t.same(violationsIn(t.testdir(), tree), [
    "framebuffer/a.ts:1 GROUND uses no Node: declare a port in protocols/platform.ts",
    "protocols/b.ts:1 GROUND uses no Node: declare a port in protocols/platform.ts",
    "protocols/rfb/c.ts:1 GROUND uses no packages, and this is zod",
  ]);
});

t.test("a package stays behind its file", async (t) => {
  t.equal(judge("imaging/webp/webp.ts", "sharp"), null);
  t.match(judge("imaging/png/png.ts", "sharp"), "the package sharp lives behind imaging/webp/");
  t.match(
    judge("mcp/tools/click-at.ts", "@modelcontextprotocol/server/deep"),
    "lives behind mcp/server/server.ts",
  );
  t.match(judge("web/app.ts", "left-pad"), "the package left-pad has no home");
});

t.test("browser code sees GROUND and the API's shapes only", async (t) => {
  t.equal(judge("web/client/viewer.ts", "../../framebuffer/rect.ts"), null);
  t.equal(judge("web/client/deep/panel.tsx", "../../api/api.ts"), null);
  t.match(judge("web/client/viewer.ts", "../app.ts"), "browser code sees only");
  t.match(judge("web/client/viewer.ts", "../../desktop/desktop.ts"), "browser code sees only");
  t.match(judge("web/client/viewer.ts", "node:fs"), "browser code uses no Node");
  t.match(judge("web/app.ts", "./client/viewer.ts"), "server code does not import browser code");
});

t.test("what lies outside the house is found", async (t) => {
  t.match(judge("web/app.ts", "../../test/fake.ts"), "it lies outside src/");
  t.match(judge("attic/a.ts", "./b.ts"), "attic is no room of the house");
});

t.test("the real tree obeys", async (t) => {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "../src");
  t.same(findViolations(root), []);
});

t.test("pixels of a desktop are seen through its view", async (t) => {
  const tree = {
    "desktop/links/vnc/vnc-link.ts": "export const a = (it: any) => it.framebuffer;\n",
    "desktop/anchors/anchors.ts": 'export const b = (it: any) => it.shownTo("agent").frame;\n',
    "desktop/events/c.ts": "export const c = (link: any) => link.framebuffer;\n",
    "mcp/d.ts": 'import { Display } from "../desktop/picture/display.ts";\nnew Display();\n',
    "web/e.ts": 'export const e = (it: any) => it?.shownTo("viewer");\n',
    "web/f.ts": "export const f = (it: any) => {\n  const { framebuffer: g } = it;\n  return g;\n};\n",
    "web/h.ts": 'export const h = (it: any) => it["framebuffer"];\nexport const framebuffer = "a word";\n',
  };
  const why = "pixels of a desktop are seen through its view(audience)";
  t.same(violationsIn(t.testdir(), tree), [
    `desktop/events/c.ts:1 ${why}`,
    "mcp/d.ts:1 desktop/picture/display.ts is the desktop's own: pixels are seen through its view(audience)",
    `web/e.ts:1 ${why}`,
    `web/f.ts:2 ${why}`,
    `web/h.ts:1 ${why}`,
  ]);
});
