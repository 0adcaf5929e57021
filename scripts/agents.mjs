// `npm run test:agents -- PASSES LOAD`: every task of the mechanical agent on each of its targets, PASSES times over (1), with
// LOAD (0) loops that keep as many cores busy. The check does a third of the tasks on each target, once, without load.
import { spawn } from "node:child_process";
import { runNode, TestRun } from "./tap-run.mjs";

const BUSY = "for (;;);";

const [passes = "1", load = "0"] = process.argv.slice(2);
for (const [name, value] of Object.entries({ PASSES: passes, LOAD: load })) {
  if (!/^\d{1,3}$/.test(value))
    throw new Error(`${name}: got ${JSON.stringify(value)}, expected a number below 1000`);
}
process.env.OC_AGENT_PASSES = passes;
process.env.OC_AGENT_TASKS ??= "all";
const { code: notBuilt } = await runNode(["scripts/ensure-built.mjs"]);
if (notBuilt !== 0) {
  process.exitCode = notBuilt;
} else {
  const loops = Array.from({ length: Number(load) }, () =>
    spawn(process.execPath, ["-e", BUSY], { stdio: "ignore" }),
  );
  try {
    const run = new TestRun(14_400);
    await run.files(["test/e2e/agents/agents.test.ts"]);
    const { code, passed, failed, skipped } = run.result;
    for (const line of skipped) process.stdout.write(`${line}\n`);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    process.exitCode = code;
  } finally {
    for (const loop of loops) loop.kill("SIGKILL");
  }
}
