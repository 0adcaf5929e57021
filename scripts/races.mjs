// `npm run test:races`: two agents and a person on one desktop for a whole minute, which the check does in short,
// a thousand approvals with the screen changed on the way, a thousand clicks by ref while windows and pages move, presses on
// cards that come and go, and clicks, drags and chords by the hundred on real programs.
import { runNode, TestRun } from "./tap-run.mjs";

const FILES = [
  "test/desktop/control/approvals.test.ts",
  "test/desktop/control/arbiter.test.ts",
  "test/e2e/agents/approval-presses.test.ts",
  "test/e2e/agents/approval-races.test.ts",
  "test/e2e/agents/input-programs.test.ts",
  "test/e2e/agents/shared-desktop.test.ts",
  "test/e2e/browser/click-on-desktop.test.ts",
];

process.env.OC_SHARED_SECONDS ??= "60";
process.env.OC_RACED_APPROVALS ??= "1000";
process.env.OC_APPROVAL_PRESSES ??= "240";
process.env.OC_RACED_CLICKS ??= "1000";
process.env.OC_INPUT_LONG ??= "1";
const { code: notBuilt } = await runNode(["scripts/ensure-built.mjs"]);
if (notBuilt !== 0) {
  process.exitCode = notBuilt;
} else {
  const run = new TestRun(1800);
  await run.files(FILES);
  const { code, passed, failed, skipped } = run.result;
  for (const line of skipped) process.stdout.write(`${line}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = code;
}
