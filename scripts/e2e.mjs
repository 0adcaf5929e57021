// `npm run test:e2e [-- FILE …]`: the tests against real servers, viewers and browsers; files that are named run one at a
// time.
import { join } from "node:path";
import { ROOT } from "./source-hash.mjs";
import { runNode, TestRun, testsIn } from "./tap-run.mjs";

const FOLDER = "test/e2e";
const SECONDS = 900;

/** Two at a time keep two processors busy: most files take nearly a second of a processor each second. */
const JOBS = 2;

/** No busy file runs beside one of these. The reason is what a busy neighbour would spoil. */
const ALONE = {
  "agents/agents": "programs tell its clicks from double clicks and drags by the pauses between",
  "agents/approval-presses": "presses on cards that move meanwhile, a few milliseconds before or after",
  "agents/effect-truth": "what is painted in the pauses of input must be seen there",
  "agents/input-programs": "as agents/agents, with more programs",
  "agents/mcp-keyboards":
    "quick keys, of which the server first has to make some, are read by programs at once",
  "agents/shared-desktop": "two agents and a person take turns by pauses of 120 ms",
  "browser/click-on-desktop": "clicks while windows move on their own clock",
  "hostile/floods": "sends gigabytes: it would spoil others",
  "viewers/viewer-scroll":
    "a browser keeps up with a large picture that changes meanwhile; with 28 at work it did not in 15 s",
};

/**
 * These wait for most of their time, for limits of the server and pauses between tries, so they run one after the other
 * beside all others. The hostile ones judge shares of frames, and forgive what the kernel gave to others meanwhile.
 */
const WAITING = [
  "hostile/hostile-targets",
  "audit/audit-outage",
  "audit/audit-full-disk",
  "hostile/hostile-viewers",
  "hostile/rdp-hostile",
];

/** The longest of the others, so that none is left for the end, where one processor would idle. */
const FIRST = ["harness/bench", "browser/browser-clients", "recording/archive", "web/operation"];

const path = (name) => `${FOLDER}/${name}.test.ts`;

/** Builds the appliance where needed, then runs the files given one at a time, or all. */
export async function runE2e(files = []) {
  const run = new TestRun(SECONDS);
  const { code } = await runNode(["scripts/ensure-built.mjs"]);
  if (code !== 0) return { ...run.result, code };
  if (files.length > 0) {
    await run.files(files);
    return run.result;
  }
  const all = testsIn(FOLDER);
  const alone = Object.keys(ALONE).map(path);
  const waiting = WAITING.map(path);
  const first = FIRST.map(path);
  const gone = [...alone, ...waiting, ...first].filter((file) => !all.includes(file));
  if (gone.length > 0) throw new Error(`scripts/e2e.mjs names tests that are gone: ${gone.join(" ")}`);
  const named = new Set([...alone, ...waiting, ...first]);
  const others = all.filter((file) => !named.has(file));
  const busy = async () => {
    await run.files(alone);
    await run.files([...first, ...others], JOBS);
  };
  await Promise.all([busy(), run.files(waiting)]);
  return run.result;
}

/** Beyond so many failed files it is the change, not the machine. */
const MOST_REPEATED = 4;

/**
 * Runs all files, then those few that failed once more. They talk to foreign programs in real time, and a machine
 * that stands still for seconds makes any of them fail now and then; a fault of ours fails twice. What failed first
 * is printed as it happened, and `skipped` names each file that passed only the second time.
 */
export async function runE2eTwice() {
  const first = await runE2e();
  const { failedFiles = [] } = first;
  if (first.code === 0 || failedFiles.length === 0 || failedFiles.length > MOST_REPEATED) return first;
  process.stdout.write(`\n-- once more: ${failedFiles.join(" ")}\n`);
  const second = await runE2e(failedFiles);
  const unsteady = failedFiles
    .filter((file) => !(second.failedFiles ?? []).includes(file))
    .map((file) => `UNSTEADY: ${file} failed and passed when it was run again`);
  return { ...second, passed: first.passed, skipped: [...first.skipped, ...second.skipped, ...unsteady] };
}

if (process.argv[1] === join(ROOT, "scripts", "e2e.mjs")) {
  const { code, passed, failed, skipped } = await runE2e(process.argv.slice(2));
  for (const line of skipped) process.stdout.write(`${line}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = code;
}
