// `npm run test:races`: two agents and a person on one desktop for a whole minute, which the check does in short, and
// a thousand approvals with the screen changed on the way.
import { runNode, runTap } from "./tap-run.mjs";

const FILES = [
  "test/desktop/approvals.test.ts",
  "test/desktop/arbiter.test.ts",
  "test/e2e/approval-races.test.ts",
  "test/e2e/shared-desktop.test.ts",
];

process.env.OC_SHARED_SECONDS ??= "60";
process.env.OC_RACED_APPROVALS ??= "1000";
const { code: notBuilt } = await runNode(["scripts/ensure-built.mjs"]);
if (notBuilt !== 0) {
  process.exitCode = notBuilt;
} else {
  const { code, passed, failed, skipped } = await runTap(["--jobs=1", "--timeout=900", ...FILES]);
  for (const line of skipped) process.stdout.write(`${line}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = code;
}
