import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./source-hash.mjs";

const TAP = join(ROOT, "node_modules/tap/dist/esm/run.mjs");

/**
 * Runs a Node program in the checkout; `pass` gets each line it writes to stdout, `complain` each one to stderr. Gives
 * its exit code and the lines that start with SKIPPED, which tests print for programs that are not installed.
 */
export async function runNode(
  args,
  pass = (line) => process.stdout.write(`${line}\n`),
  complain = (line) => process.stderr.write(`${line}\n`),
) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const skipped = [];
  const read = async (from, write) => {
    for await (const line of createInterface({ input: from })) {
      if (line.startsWith("SKIPPED: ")) skipped.push(line);
      write(line);
    }
  };
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
  const [code] = await Promise.all([ended, read(child.stdout, pass), read(child.stderr, complain)]);
  return { code, skipped };
}

/**
 * The project's tap, with the plugins of .taprc built in: on a fresh clone tap still has its own set on its first
 * run, whose TypeScript loader cannot read this project.
 */
export async function runTap(args) {
  const isPluginSetBuilt = existsSync(join(ROOT, ".tap/plugins/package.json"));
  if (!isPluginSetBuilt) await runNode([TAP, "build"]);
  const report = new Report();
  const { code, skipped } = await runNode([TAP, "--reporter=tap", ...args], (line) => report.read(line));
  return { code, skipped, passed: report.passed, failed: report.failed, failedFiles: report.failedFiles };
}

/** Raw TAP made short: a line for each file, and for a file that failed all of it but what passed. */
class Report {
  passed = 0;
  failed = 0;
  failedFiles = [];
  #block = [];
  #isFailed = false;

  read(line) {
    const verdict = line.match(/^(not )?ok \d+ - (.*)$/);
    if (verdict !== null) {
      this.#isFailed = verdict[1] !== undefined;
      if (this.#isFailed) {
        for (const kept of this.#block) process.stdout.write(`${kept}\n`);
        this.failedFiles.push(verdict[2].replace(/ # .*$/, ""));
      }
      process.stdout.write(`${this.#isFailed ? "FAILED" : "passed"}  ${verdict[2]}\n`);
      this.#block = [];
      return;
    }
    // The last line of all: `# { total: 8, pass: 7, fail: 1 }`, assertions.
    const counts = line.match(/^# \{ total: .*\}$/)?.[0];
    if (counts !== undefined) {
      this.passed = Number(counts.match(/pass: (\d+)/)?.[1] ?? 0);
      this.failed = Number(counts.match(/fail: (\d+)/)?.[1] ?? 0);
      return;
    }
    if (!/^\s*(ok \d|\d+\.\.\d|# time=|TAP version|$)/.test(line)) this.#block.push(line);
  }
}
