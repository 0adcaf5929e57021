// `npm start`: builds where dist/ is missing or older than its sources, then becomes dist/main.js with all arguments.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isBuilt, ROOT } from "./source-hash.mjs";

if (!isBuilt()) {
  process.stderr.write("Building, once …\n");
  const { status } = spawnSync(process.execPath, [join(ROOT, "scripts", "build.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

// In this process, so that signals, stdin and the exit code are the program's own.
const main = join(ROOT, "dist", "main.js");
process.argv[1] = main;
process.setSourceMapsEnabled(true);
await import(pathToFileURL(main).href);
