import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { nextVersion, packageVersion, releasedChangelog } from "../../scripts/release.ts";
import { KINDS, secretsIn } from "../../scripts/secrets.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SCRIPT = join(ROOT, "scripts/release.ts");

t.test("a version is a day, with a number where the day has one", async (t) => {
  t.equal(nextVersion("2026-11-26", []), "2026.11.26");
  t.equal(nextVersion("2026-11-26", ["v2026.11.25"]), "2026.11.26");
  t.equal(nextVersion("2026-11-26", ["v2026.11.26"]), "2026.11.26.1");
  t.equal(nextVersion("2026-11-26", ["v2026.11.26", "v2026.11.26.1"]), "2026.11.26.2");
  for (const wrong of ["today", "2026-02-30", "26-11-26"]) t.throws(() => nextVersion(wrong, []), wrong);
  t.equal(packageVersion("2026.01.05"), "2026.1.5");
  t.equal(packageVersion("2026.11.26.2"), "2026.11.26+2");
});

t.test("what was unreleased gets its version, and nothing is released twice", async (t) => {
  const text = "# Changelog\n\n## Unreleased\n\n- **A**: b.\n\n## 2026.11.01\n\n- old\n";
  const released = releasedChangelog(text, "2026.11.26");
  t.equal(
    released,
    "# Changelog\n\n## Unreleased\n\n## 2026.11.26\n\n- **A**: b.\n\n## 2026.11.01\n\n- old\n",
  );
  t.throws(() => releasedChangelog(released, "2026.11.27"), { message: /^nothing is under/ });
  t.throws(() => releasedChangelog("# Changelog\n", "2026.11.27"), { message: /has no part/ });
});

t.test("two releases of a day, in a checkout of their own", async (t) => {
  const dir = t.testdir({ src: { platform: {} } });
  const git = (...args: readonly string[]) =>
    run("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: dir });
  const read = (file: string): string => readFileSync(join(dir, file), "utf8");
  for (const file of ["package.json", "package-lock.json", "src/platform/version.ts"])
    writeFileSync(join(dir, file), readFileSync(join(ROOT, file)));
  const note = (text: string): void => writeFileSync(join(dir, "CHANGELOG.md"), text);
  note("# Changelog\n\n## Unreleased\n\n- **First**: it runs.\n");
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "begin");
  const env = {
    ...process.env,
    ...{ GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@example.com" },
    ...{ GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@example.com" },
  };
  const release = () =>
    run(process.execPath, ["--import", import.meta.resolve("tsx"), SCRIPT, "2026-01-05"], { cwd: dir, env });

  t.match((await release()).stdout, /^2026\.01\.05 is committed and tagged/);
  t.match(read("package.json"), /"version": "2026\.1\.5"/);
  t.equal([...read("package-lock.json").matchAll(/"version": "2026\.1\.5"/g)].length, 2);
  t.match(read("src/platform/version.ts"), /VERSION = "2026\.01\.05"/);
  t.match(read("CHANGELOG.md"), "## Unreleased\n\n## 2026.01.05\n\n- **First**");
  t.equal((await git("status", "--porcelain")).stdout, "");
  await t.rejects(release(), {
    message: /release: nothing is under ## Unreleased in CHANGELOG\.md/,
  });
  note(read("CHANGELOG.md").replace("## Unreleased\n", "## Unreleased\n\n- **Second**: it stays.\n"));
  await t.rejects(release(), { message: /release: the checkout has changes/ });
  await git("commit", "--quiet", "-am", "more");
  await release();
  t.match(read("package.json"), /"version": "2026\.1\.5\+1"/);
  t.equal((await git("tag", "--list")).stdout, "v2026.01.05\nv2026.01.05.1\n");
});

t.test("secrets are found by their shape, and named by their place alone", async (t) => {
  const made: Readonly<Record<string, string>> = {
    "a private key": `-----BEGIN ${"PRIVATE KEY"}-----\n${"M".repeat(80)}`,
    "a token of this program": `ocp_${"0a".repeat(6)}_${"x".repeat(43)}`,
    "an AWS access key": `AKIA${"Q".repeat(16)}`,
    "a GitHub token": `ghp_${"a".repeat(36)}`,
    "a GitLab token": `glpat-${"a".repeat(20)}`,
    "an npm token": `npm_${"a".repeat(36)}`,
    "a Slack token": `xoxb-${"1".repeat(24)}`,
    "a key of Anthropic": `sk-ant-${"a".repeat(40)}`,
    "a key of OpenAI": `sk-${"a".repeat(48)}`,
    "a key of Google": `AIza${"a".repeat(35)}`,
    "a key of Stripe": `sk_live_${"a".repeat(24)}`,
    "a signed token (JWT)": `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.${"c".repeat(43)}`,
  };
  t.same(
    Object.keys(made),
    KINDS.map(({ name }) => name),
  );
  for (const [kind, secret] of Object.entries(made)) {
    t.same(secretsIn("a.ts", `first\nconst x = "${secret}";\n`), [{ file: "a.ts", line: 2, kind }], kind);
  }
  t.same(
    secretsIn("a.md", "AKIA is how their keys begin; sk-ant-… and ghp_ too. -----BEGIN PRIVATE KEY-----"),
    [],
  );
});
