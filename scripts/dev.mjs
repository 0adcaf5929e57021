// `npm run dev [-- OPTIONS]`: as `npm start`, begun anew whenever a file of src/ has changed.
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./source-hash.mjs";

/** Editors write a file in several steps, and a branch switch many files. */
const QUIET_MS = 200;

let child = null;
let timer = null;

function start() {
  child = spawn(process.execPath, [join(ROOT, "scripts", "start.mjs"), ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: "inherit",
  });
}

function restart() {
  process.stdout.write("src/ has changed: building and starting again\n");
  if (child === null || child.exitCode !== null || child.signalCode !== null) return start();
  child.once("close", start);
  child.kill("SIGTERM");
}

start();
watch(join(ROOT, "src"), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(restart, QUIET_MS);
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    clearTimeout(timer);
    if (child === null || child.exitCode !== null || child.signalCode !== null) process.exit(0);
    child.removeAllListeners("close");
    child.once("close", () => process.exit(0));
    child.kill(signal);
  });
}
