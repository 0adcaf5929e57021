// `npm test [-- FILE …]`: the unit tests, or the files given. Also how `npm run check` and `npm run test:e2e` run theirs.
//
// Each file is a process of its own, `node --import=tsx FILE`, and what it says is TAP. The runner of tap is not between:
// for coverage it puts a loader into every Node process below it, the servers that tests start included, which doubles
// what their start takes and is not how they run elsewhere.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./source-hash.mjs";

const FIXTURES = join(ROOT, ".tap/fixtures");

/** Of two processors one job would leave one idle. */
const JOBS = 2;
const UNIT_SECONDS = 240;
/** A file that is over its time says where it was and ends; one that does not is ended. Some files give themselves more. */
const LEAST_KILL_SECONDS = 900;
const LAST_WORDS_MS = 10_000;

/**
 * Runs a Node program in the checkout; `pass` gets each line it writes to stdout, `complain` each one to stderr. Gives
 * its exit code and the lines that start with SKIPPED, which tests print for programs that are not installed.
 */
export async function runNode(
  args,
  pass = (line) => process.stdout.write(`${line}\n`),
  complain = (line) => process.stderr.write(`${line}\n`),
  { env = {}, mostMs = null } = {},
) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = mostMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), mostMs);
  const skipped = [];
  const outputs = [child.stdout, child.stderr].map((input) => createInterface({ input }));
  const read = async (lines, write) => {
    for await (const line of lines) {
      if (line.startsWith("SKIPPED: ")) skipped.push(line);
      write(line);
    }
  };
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
      // Programs that it left behind may hold its outputs open.
      setTimeout(() => outputs.map((lines) => lines.close()), LAST_WORDS_MS).unref();
    });
  });
  const [code] = await Promise.all([ended, read(outputs[0], pass), read(outputs[1], complain)]);
  return { code, skipped };
}

/** All files of tests below a folder, with paths from the checkout. */
export function testsIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .map((file) => `${folder}/${file}`);
}

/** Everything in test/ but what talks to foreign programs; two files at a time. */
export async function runUnit(files = []) {
  const all = files.length > 0 ? files : testsIn("test").filter((file) => !file.startsWith("test/e2e/"));
  const run = new TestRun(UNIT_SECONDS);
  await run.files(all, JOBS);
  return run.result;
}

/** Files of tests that are run, and what became of them. */
export class TestRun {
  /** `failed` counts assertions; `code` is 0 where every file passed. */
  result = { code: 0, passed: 0, failed: 0, skipped: [], failedFiles: [] };
  #seconds;

  /** No file takes longer than `seconds` unless it says so. */
  constructor(seconds) {
    this.#seconds = seconds;
  }

  /** Runs them in this order, so many at a time. */
  async files(files, jobs = 1) {
    const waiting = [...files];
    const work = async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await this.#file(file);
    };
    await Promise.all(Array.from({ length: jobs }, work));
  }

  async #file(file) {
    const startedAt = performance.now();
    const report = new Report();
    const { code, skipped } = await runNode(
      ["--import=tsx", file],
      (line) => report.read(line),
      (line) => process.stderr.write(`${line}\n`),
      {
        // What a test wrote may still be written to when it is over, so its folder goes when the process has gone.
        env: { TAP: "1", TAP_TIMEOUT: `${this.#seconds}`, TAP_SAVE_FIXTURE: "1" },
        mostMs: Math.max(this.#seconds, LEAST_KILL_SECONDS) * 1000 + LAST_WORDS_MS,
      },
    );
    removeFixtures(file);
    // One that ends before its first assertion proves nothing.
    const isPassed = code === 0 && report.failed === 0 && report.isWhole;
    if (!isPassed) {
      if (!report.isWhole) report.lines.push(`# it ended with ${code} before its tests did`);
      process.stdout.write(`${report.lines.join("\n")}\n`);
      this.result.failedFiles.push(file);
      this.result.code = 1;
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`${isPassed ? "passed" : "FAILED"}  ${seconds.padStart(6)} s  ${file}\n`);
    this.result.passed += report.passed;
    this.result.failed += report.failed;
    this.result.skipped.push(...skipped);
  }
}

/** The folders that `t.testdir` made for the tests of a file. */
function removeFixtures(file) {
  const name = file.replace(/[^a-zA-Z0-9._-]+/g, "-");
  for (const found of existsSync(FIXTURES) ? readdirSync(FIXTURES) : []) {
    if (found === name || found.startsWith(`${name}-`)) rmSync(join(FIXTURES, found), { recursive: true });
  }
}

/** The TAP of one file: its counts, and all lines but those of what passed. */
class Report {
  passed = 0;
  failed = 0;
  /** It has come to its end. */
  isWhole = false;
  lines = [];

  read(line) {
    // The last line of all: `# { total: 8, pass: 7, fail: 1 }`, assertions.
    const counts = line.match(/^# \{ total: .*\}$/)?.[0];
    if (counts !== undefined) {
      this.isWhole = true;
      this.passed = Number(counts.match(/pass: (\d+)/)?.[1] ?? 0);
      this.failed = Number(counts.match(/fail: (\d+)/)?.[1] ?? 0);
    }
    if (!/^\s*(ok \d|\d+\.\.\d|# time=|TAP version|$)/.test(line)) this.lines.push(line);
  }
}

if (process.argv[1] === join(ROOT, "scripts", "tap-run.mjs")) {
  const { code, passed, failed, skipped } = await runUnit(process.argv.slice(2));
  for (const line of new Set(skipped)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = code;
}
