// `npm run bench [-- --short] [-- --only P6,P7]`: the hot paths, each beside a peer of the same run. Prints a table
// and writes results.json; stderr has the seconds that each row takes. Fails on wrong results, never on time.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Line, tableOf } from "./line.ts";
import { BENCHES, type Bench, canRun } from "./suite.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RESULTS = fileURLToPath(new URL("results.json", import.meta.url));

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
const only = values.only === "" ? null : new Set(values.only.toUpperCase().split(","));

const build = spawnSync(process.execPath, [join(ROOT, "scripts/ensure-built.mjs")], { stdio: "inherit" });
if (build.status !== 0) throw new Error("the build failed");

const lines: Line[] = [];
for (const bench of BENCHES) {
  if (only !== null && !bench.ids.some((id) => only.has(id))) continue;
  if (canRun(bench)) lines.push(...(await run(bench)));
}
const machine = `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`;
process.stdout.write(`${machine}\n\n${tableOf(lines)}\n`);
if (!values.short) {
  writeFileSync(RESULTS, `${JSON.stringify({ at: new Date().toISOString(), machine, lines }, null, 2)}\n`);
}

/** Everything that it started is over when it is. */
async function run(bench: Bench): Promise<Line[]> {
  const name = bench.ids.join(", ");
  process.stderr.write(`${name} …\n`);
  const beganMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "oc-bench-"));
  const teardowns: (() => unknown)[] = [
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  ];
  try {
    const owner = { teardown: (call: () => unknown) => void teardowns.push(call) };
    return await bench.run({ owner, folder, isShort: values.short });
  } finally {
    for (const teardown of teardowns.reverse()) await teardown();
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
    process.stderr.write(`${name}: ${seconds} s\n`);
  }
}
