// `npm run check`: every check and every test, each though one before it failed. Exactly what CI runs.
import { runE2eTwice } from "./e2e.mjs";
import { runNode, runTap } from "./tap-run.mjs";

const BIOME = "node_modules/@biomejs/biome/bin/biome";
const KNIP = "node_modules/knip/bin/knip.js";
const TSC = "node_modules/typescript/bin/tsc";
const TSX = "--import=tsx";

const node = (...args) => {
  return async () => {
    const { code, skipped } = await runNode(args);
    return { code, skipped, passed: 0, failed: 0 };
  };
};

const STEPS = [
  ["format and lint", node(BIOME, "ci", "--error-on-warnings")],
  ["floors: imports go down only", node(TSX, "scripts/floors.ts")],
  ["no circle of imports, types included", node(TSX, "scripts/circles.ts")],
  ["no source file over 400 lines", node(TSX, "scripts/file-length.ts")],
  ["no source folder over 25 files", node(TSX, "scripts/folder-size.ts")],
  ["no unused files, exports or packages", node(KNIP, "--no-progress")],
  ["types: server, tests, scripts", node(TSC, "-p", "tsconfig.json")],
  ["types: GROUND without Node and DOM", node(TSC, "-p", "tsconfig.ground.json")],
  ["types: browser", node(TSC, "-p", "tsconfig.client.json")],
  ["types: what ships", node(TSC, "-p", "tsconfig.build.json", "--noEmit")],
  ["generated docs are up to date", node(TSX, "scripts/docs.ts")],
  ["unit tests", () => runTap([])],
  ["build and end-to-end tests", () => runE2eTwice()],
];

let passed = 0;
let failed = 0;
const skipped = [];
const results = [];
for (const [name, run] of STEPS) {
  process.stdout.write(`\n== ${name}\n`);
  const startedAt = performance.now();
  const result = await run();
  const isPassed = result.code === 0;
  // The step counts as one test: so a tap that dies before its first assertion is a failure too.
  passed += result.passed + (isPassed ? 1 : 0);
  failed += result.failed + (isPassed ? 0 : 1);
  skipped.push(...result.skipped);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  results.push(`${isPassed ? "passed" : "FAILED"}  ${seconds.padStart(6)} s  ${name}`);
}

process.stdout.write(`\n${results.join("\n")}\n`);
for (const line of new Set(skipped)) process.stdout.write(`${line}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
