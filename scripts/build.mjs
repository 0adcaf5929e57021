// Makes dist/ anew: the server, the browser's part and the extension, by Vite. Output goes to stderr, for `npm start -- --stdio`.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashSources, ROOT, STAMP } from "./source-hash.mjs";

const VITE = "node_modules/vite/bin/vite.js";

function run(program, ...args) {
  const { status, error } = spawnSync(process.execPath, [join(ROOT, program), ...args], {
    cwd: ROOT,
    stdio: ["ignore", 2, 2],
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(ROOT, VITE))) {
  process.stderr.write("node_modules is not there or lacks the build tools: run npm ci first\n");
  process.exit(1);
}
run("scripts/kernels.mjs", "--write");
// Taken first: a source that changes while this runs makes the stamp old, and the next start builds again.
const hash = hashSources();
rmSync(join(ROOT, "dist"), { recursive: true, force: true });
for (const config of ["vite.config.ts", "vite.extension.config.ts", "vite.server.config.ts"]) {
  run(VITE, "build", "--logLevel", "warn", "--config", config);
}
run("scripts/pack-extension.mjs");
chmodSync(join(ROOT, "dist", "main.js"), 0o755);
writeFileSync(STAMP, hash);
