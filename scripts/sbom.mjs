// `npm run sbom [-- FOLDER]`, by tsx: what ships, as a CycloneDX document (sbom.cdx.json) and as a list of licences for people
// (licences.md), both of the lockfile, in dist/ or FOLDER. Works offline.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGE_HOMES } from "./floors.ts";
import { ROOT } from "./source-hash.mjs";

/**
 * npm's document, less what developers alone need. By the lockfile, and not by npm's own --omit dev: that leaves out too
 * what both need (zod, ws and more, npm 11.19). Throws where npm fails.
 */
function sbom() {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const document = JSON.parse(stdout);
  const shipped = shippedPackages();
  const components = document.components.filter((one) => shipped.has(`${nameOf(one)}@${one.version}`));
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  // npm names it by the folder of the checkout.
  const component = { ...document.metadata.component, type: "application", name, version };
  const refs = new Set([component["bom-ref"], ...components.map((one) => one["bom-ref"])]);
  return {
    ...document,
    metadata: { ...document.metadata, component },
    components,
    dependencies: document.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

/**
 * NAME@VERSION of what npm installs beside the program, and of what the build puts into it: the packages that src/ imports,
 * with all that they need.
 */
function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const paths = new Set(
    Object.keys(packages).filter((path) => path !== "" && !packages[path].dev && !packages[path].devOptional),
  );
  const add = (name, from) => {
    const path = lockedPath(packages, name, from);
    if (path === null || paths.has(path)) return;
    paths.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed, path);
  };
  for (const name of Object.keys(PACKAGE_HOMES)) add(name, "");
  return new Set([...paths].map((path) => `${path.split("node_modules/").at(-1)}@${packages[path].version}`));
}

/** Where the lockfile has the package that a package at `from` gets by this name, as Node looks for it; null for none. */
function lockedPath(packages, name, from) {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (from === "") return null;
  return lockedPath(packages, name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))));
}

function nameOf({ group, name }) {
  return group === undefined ? name : `${group}/${name}`;
}

/** Name, version and licence of each package that ships, as the document has them, with the text that comes with it. */
function licenceReport({ components }) {
  const rows = components
    .map(({ licenses = [], ...one }) => ({
      name: nameOf(one),
      version: one.version,
      licence:
        licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(" AND ") ||
        "none",
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const table = rows.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  const texts = rows.flatMap(({ name, version }) => {
    const text = licenceText(join(ROOT, "node_modules", name));
    return text === null
      ? []
      : [`## ${name} ${version}`, "", "```", text.trimEnd().replaceAll("```", "'''"), "```", ""];
  });
  return [
    "# Licences of what ships with Overlay Companion",
    "",
    "| package | version | licence |",
    "|---|---|---|",
    ...table,
    "",
    ...texts,
  ].join("\n");
}

function licenceText(folder) {
  try {
    const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|-|$)/i.test(name));
    return file === undefined ? null : readFileSync(join(folder, file), "utf8");
  } catch {
    // Of another machine's kind: its twin here has the same text.
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(ROOT, "dist");
  mkdirSync(folder, { recursive: true });
  const document = sbom();
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(document, null, 2)}\n`);
  writeFileSync(join(folder, "licences.md"), licenceReport(document));
  process.stdout.write(`${folder}: sbom.cdx.json and licences.md, ${document.components.length} packages\n`);
}
