// `npm run check`: every check and every test, each though one before it failed. Exactly what CI runs.
import { runE2eTwice } from "./e2e.mjs";
import { runNode, runUnit } from "./tap-run.mjs";

const BIOME = "node_modules/@biomejs/biome/bin/biome";
const KNIP = "node_modules/knip/bin/knip.js";
const TSC = "node_modules/typescript/bin/tsc";
const TSX = "--import=tsx";

/** Runs programs of Node one after the other until one fails; each line of theirs goes to `say`. */
const node = (...programs) => {
  return async (say) => {
    for (const args of programs) {
      const { code } = await runNode(args, say, say);
      if (code !== 0) return { code };
    }
    return { code: 0 };
  };
};

/**
 * Each keeps one processor busy, so they run two at a time, the long ones first. What ships is built here. The kernels come before it: a build would write them anew, and hide that the committed ones are old.
 */
const CHECKS = [
  ["types: server, tests, scripts", node([TSC, "-p", "tsconfig.json"])],
  ["build: what ships", node(["scripts/kernels.mjs"], ["scripts/ensure-built.mjs"])],
  ["format and lint", node([BIOME, "ci", "--error-on-warnings"])],
  ["no unused files, exports or packages", node([KNIP, "--no-progress"])],
  ["types: browser", node([TSC, "-p", "tsconfig.client.json"])],
  ["types: GROUND without Node and DOM", node([TSC, "-p", "tsconfig.ground.json"])],
  ["floors: imports go down only", node([TSX, "scripts/floors.ts"])],
  ["no circle of imports, types included", node([TSX, "scripts/circles.ts"])],
  ["generated docs are up to date", node([TSX, "scripts/docs.ts"])],
  ["links and commands in docs", node([TSX, "scripts/doc-links.ts"])],
  ["no secrets in what git keeps", node([TSX, "scripts/secrets.ts"])],
  ["no source file over 400 lines", node([TSX, "scripts/file-length.ts"])],
  ["no source folder over 25 files", node([TSX, "scripts/folder-size.ts"])],
];

const TESTS = [
  ["unit tests", () => runUnit()],
  ["end-to-end tests", () => runE2eTwice()],
];

let passed = 0;
let failed = 0;
const skipped = [];
const results = [];

const waiting = [...CHECKS];
await Promise.all([runWaiting(), runWaiting()]);
for (const [name, run] of TESTS) {
  process.stdout.write(`\n== ${name}\n`);
  await count(name, run);
}

process.stdout.write(`\n${results.join("\n")}\n`);
for (const line of new Set(skipped)) process.stdout.write(`${line}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Takes one check after the other; what it says is printed whole when it ends. */
async function runWaiting() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const [name, run] = check;
    const said = [`\n== ${name}`];
    await count(name, () => run((line) => said.push(line)));
    process.stdout.write(`${said.join("\n")}\n`);
  }
}

async function count(name, run) {
  const startedAt = performance.now();
  const result = await run();
  const isPassed = result.code === 0;
  // The step counts as one test: so one that dies before its first assertion is a failure too.
  passed += (result.passed ?? 0) + (isPassed ? 1 : 0);
  failed += (result.failed ?? 0) + (isPassed ? 0 : 1);
  skipped.push(...(result.skipped ?? []));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  results.push(`${isPassed ? "passed" : "FAILED"}  ${seconds.padStart(6)} s  ${name}`);
}
