// Builds where dist/ is missing or older than its sources; says nothing where it is not.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isBuilt, ROOT } from "./source-hash.mjs";

if (!isBuilt()) {
  process.stderr.write("Building, once …\n");
  const { status } = spawnSync(process.execPath, [join(ROOT, "scripts", "build.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exitCode = status ?? 1;
}
