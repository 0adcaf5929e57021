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

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        license: z.string().optional(),
        dev: z.boolean().optional(),
        devOptional: z.boolean().optional(),
      }),
    ),
  })
  .parse(JSON.parse(read("package-lock.json")));

const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Zlib",
]);
/** libvips and what it is built with, as a shared library of its own that sharp loads: as it comes, and exchangeable. */
const SHARED_LIBRARIES = /^node_modules\/@img\/sharp-(libvips|wasm32|win32)/;

/** Whether an SPDX expression of names, AND and OR lets it be used by permissive licences alone. */
function isPermissive(expression: string): boolean {
  const any = expression.replace(/[()]/g, "").split(" OR ");
  return any.some((all) => all.split(" AND ").every((name) => PERMISSIVE.has(name.trim())));
}

t.test("what is installed in production has permissive licences", async (t) => {
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true,
  );
  t.ok(shipped.length > 50);
  const others = shipped.filter(
    ([path, { license = "none" }]) => !isPermissive(license) && !SHARED_LIBRARIES.test(path),
  );
  t.same(
    others.map(([path, { license }]) => `${path}: ${license}`),
    [],
  );
  t.notOk(isPermissive("GPL-3.0-only"));
  t.notOk(isPermissive("MIT AND LGPL-3.0-or-later"));
  t.ok(isPermissive("(GPL-2.0 OR MIT)"));
});
