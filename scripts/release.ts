// `npm run release [-- YYYY-MM-DD]`: makes the next version of what is under "Unreleased" in CHANGELOG.md, in a clean
// checkout: package.json, package-lock.json, version.ts and the changelog. It commits and tags; pushing is a person's.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** YYYY.MM.DD, or with .1, .2, … where that day has one already. `date` as YYYY-MM-DD. Throws Error. */
export function nextVersion(date: string, tags: readonly string[]): string {
  const isDay =
    /^\d{4}-\d{2}-\d{2}$/.test(date) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
  if (!isDay) throw new Error(`got the date "${date}", expected a day such as 2026-11-26`);
  const day = date.replaceAll("-", ".");
  const taken = new Set(tags);
  if (!taken.has(`v${day}`)) return day;
  let number = 1;
  while (taken.has(`v${day}.${number}`)) number++;
  return `${day}.${number}`;
}

/** As npm takes it, semver 2.0: no leading zeros, and the number of the day as build metadata. */
export function packageVersion(version: string): string {
  const [year, month, day, number] = version.split(".").map(Number);
  return `${year}.${month}.${day}${number === undefined ? "" : `+${number}`}`;
}

/** "Unreleased" gets the version's name, and a new one above it. Throws Error where nothing is to be released. */
export function releasedChangelog(text: string, version: string): string {
  const [before, after] = text.split(/^## Unreleased\n/m);
  if (before === undefined || after === undefined) throw new Error("CHANGELOG.md has no part ## Unreleased");
  const notes = after.split(/^## /m)[0] ?? "";
  if (!/^- /m.test(notes))
    throw new Error("nothing is under ## Unreleased in CHANGELOG.md: what is to be released?");
  return `${before}## Unreleased\n\n## ${version}\n${after}`;
}

/** The version in the first places of package.json or package-lock.json, all else to the letter. Throws Error. */
export function withPackageVersion(json: string, from: string, to: string): string {
  const place = `"version": "${from}"`;
  // The lockfile says it twice: of the lockfile and of the root package.
  const count = json.includes('"lockfileVersion"') ? 2 : 1;
  let text = json;
  for (let nth = 0; nth < count; nth++) {
    if (!text.includes(place)) throw new Error(`expected the version ${from} in it: is a release half done?`);
    text = text.replace(place, `"version": "${to}"`);
  }
  return text;
}

function release(root: string, date: string): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  if (git("status", "--porcelain") !== "")
    throw new Error("the checkout has changes: commit them, or put them away");
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  const version = nextVersion(date, git("tag", "--list").split("\n"));
  const { version: old } = JSON.parse(read("package.json"));
  const source = "src/platform/version.ts";
  const changed = {
    "package.json": withPackageVersion(read("package.json"), old, packageVersion(version)),
    "package-lock.json": withPackageVersion(read("package-lock.json"), old, packageVersion(version)),
    [source]: read(source).replace(/VERSION = "[^"]*"/, `VERSION = "${version}"`),
    "CHANGELOG.md": releasedChangelog(read("CHANGELOG.md"), version),
  };
  for (const [file, text] of Object.entries(changed)) writeFileSync(join(root, file), text);
  git("commit", "--quiet", "-m", `release: ${version}`, "--", ...Object.keys(changed));
  git("tag", "-a", `v${version}`, "-m", version);
  return version;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const version = release(process.cwd(), process.argv[2] ?? new Date().toISOString().slice(0, 10));
    process.stdout.write(
      `${version} is committed and tagged; then: npm run build, npm pack, npm run sbom, git push --follow-tags\n`,
    );
  } catch (error) {
    process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
