import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { requirePeers } from "../harness/peers.ts";

const RULES = fileURLToPath(new URL("../../../deploy/monitoring/", import.meta.url));

t.test("promtool takes the alert rules, and each goes off when it should", async (t) => {
  if (!requirePeers(t, ["promtool"])) return;
  const promtool = (...args: readonly string[]) => promisify(execFile)("promtool", args, { cwd: RULES });
  t.match((await promtool("check", "rules", "alerts.yaml")).stdout, /SUCCESS: 8 rules found/);
  t.match((await promtool("test", "rules", "alerts.test.yaml")).stdout, /SUCCESS/);
});
