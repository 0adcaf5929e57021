import { readFileSync } from "node:fs";
import t from "tap";
import * as z from "zod";
import { PACKAGE_HOMES } from "../scripts/floors.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const names = z.record(z.string(), z.string());
const manifest = z
  .object({ dependencies: names, devDependencies: names })
  .parse(JSON.parse(read("package.json")));
const everyName = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)].sort();

t.test("every dependency has its line of reason, and no line is left over", async (t) => {
  const listed = [...read("docs/dependencies.md").matchAll(/^\| `([^`]+)` \| \S/gm)].map(([, name]) => name);
  t.same([...listed].sort(), everyName);
});

t.test("versions are exact", async (t) => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    t.match(version, /^\d+\.\d+\.\d+(-alpha\.\d+)?$/, name);
  }
});

t.test("every package that src may import is one we depend on", async (t) => {
  for (const name of Object.keys(PACKAGE_HOMES)) t.ok(everyName.includes(name), name);
});
