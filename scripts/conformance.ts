// The MCP project's own conformance suite, in a cache folder: `tsx scripts/conformance.ts` installs it.
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Pinned: another version asks for other things. The suite needs Node 22, which the `node` package brings. */
const PACKAGES = { "@modelcontextprotocol/conformance": "0.2.0-alpha.12", node: "22.23.3" } as const;

const FOLDER = join(ROOT, "node_modules/.cache/mcp-conformance");
const SUITE = join(FOLDER, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const NODE_22 = join(FOLDER, "node_modules/node/bin/node");

export type SpecVersion = "2025-11-25" | "2026-07-28";

const checksSchema = z.array(
  z.object({
    id: z.string(),
    status: z.string(),
    description: z.string(),
    errorMessage: z.string().optional(),
  }),
);

/** What one scenario found: a check's `status` is SUCCESS, FAILURE, WARNING, SKIPPED or INFO. */
export type ConformanceChecks = z.infer<typeof checksSchema>;

/** Whether the suite and a Node that can run it are there. */
export function isConformanceInstalled(): boolean {
  return existsSync(SUITE) && existsSync(NODE_22);
}

/** Fetches the suite from the npm registry; rejects with npm's exit code. */
export async function installConformance(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const manifest = { name: "mcp-conformance", private: true, dependencies: PACKAGES };
  writeFileSync(join(FOLDER, "package.json"), JSON.stringify(manifest));
  const npm = ["install", "--prefix", FOLDER, "--no-audit", "--no-fund", "--no-package-lock"];
  const { code, output } = await run("npm", npm);
  if (code !== 0 || !isConformanceInstalled()) throw new Error(`npm install ended with ${code}: ${output}`);
}

/** Runs one scenario against a server and reads what it found. */
export async function runScenario(
  scenario: string,
  version: SpecVersion,
  url: string,
): Promise<ConformanceChecks> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  try {
    const options = ["--url", url, "--scenario", scenario, "--spec-version", version, "--output-dir", folder];
    const { output } = await run(NODE_22, [SUITE, "server", ...options]);
    const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((file) =>
      file.endsWith("checks.json"),
    );
    if (found === undefined) throw new Error(`the scenario ${scenario} left no checks: ${output}`);
    return checksSchema.parse(JSON.parse(readFileSync(join(folder, found), "utf8")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(-4000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installConformance();
