import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const IN_WEB_APP = ["@novnc/novnc", "preact", "@preact/signals", "lucide-static"];
/** Also what these need: ajv, which fastify does. */
const IN_SERVER = ["fastify", "ajv", "ws", "zod", "@modelcontextprotocol/server"];

const documentSchema = z.object({
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.string(),
  metadata: z.object({ component: z.object({ name: z.string(), type: z.string() }) }),
  components: z.array(
    z.object({
      "bom-ref": z.string(),
      group: z.string().optional(),
      name: z.string(),
      version: z.string(),
      purl: z.string(),
      licenses: z.array(z.unknown()).min(1),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string() })),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string(), dev: z.boolean().optional(), devOptional: z.boolean().optional() }),
  ),
});

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
/**
 * Weaker than those, each as it comes and exchangeable: libvips and what it is built with, a shared library of its own that
 * sharp loads, and noVNC, unmodified.
 */
const EXCHANGEABLE = /^(@img\/sharp-(libvips|wasm32|win32).*|@novnc\/novnc)$/;

/** Whether an SPDX expression of names, AND and OR lets it be used by permissive licences alone. */
function isPermissive(expression: string): boolean {
  const any = expression.replace(/[()]/g, "").split(" OR ");
  return any.some((all) => all.split(" AND ").every((name) => PERMISSIVE.has(name.trim())));
}

t.test("the bill of materials has all that ships, and the report says every licence", async (t) => {
  const dir = t.testdir();
  await promisify(execFile)(process.execPath, ["--import=tsx", join(ROOT, "scripts/sbom.mjs"), dir], {
    cwd: ROOT,
  });
  const document = documentSchema.parse(JSON.parse(readFileSync(join(dir, "sbom.cdx.json"), "utf8")));
  t.match(document.metadata.component, { name: "overlay-companion", type: "application" });
  const named = document.components.map(
    ({ group, name, version }) => `${group === undefined ? name : `${group}/${name}`}@${version}`,
  );
  const lock = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true,
  );
  t.ok(shipped.length > 30);
  for (const [path, { version }] of shipped) {
    const name = `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;
    t.ok(named.includes(name), name);
  }
  for (const bundled of [...IN_WEB_APP, ...IN_SERVER]) {
    t.ok(
      named.some((name) => name.startsWith(`${bundled}@`)),
      `${bundled}, which is built in`,
    );
  }
  t.notOk(
    named.some((name) => name.startsWith("typescript@")),
    "nothing of developers",
  );
  const refs = new Set(document.components.map((component) => component["bom-ref"]));
  t.equal(refs.size, document.components.length, "each once");
  const report = readFileSync(join(dir, "licences.md"), "utf8");
  for (const { name, version } of document.components) t.ok(report.includes(`${name} | ${version} | `), name);
  t.notMatch(report, / \| none \|/);
  const rows = [...report.matchAll(/^\| (\S+) \| \d\S* \| (.+) \|$/gm)];
  t.equal(rows.length, document.components.length);
  const others = rows.filter(
    ([, name = "", licence = ""]) => !isPermissive(licence) && !EXCHANGEABLE.test(name),
  );
  t.same(
    others.map(([row]) => row),
    [],
    "permissive licences alone",
  );
  t.notOk(isPermissive("GPL-3.0-only"));
  t.notOk(isPermissive("MIT AND LGPL-3.0-or-later"));
  t.ok(isPermissive("(GPL-2.0 OR MIT)"));
  t.match(report, /Permission is hereby granted/, "with their texts");
});
