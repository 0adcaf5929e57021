// The MCP project's own conformance suite, as tests run it.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
/** A scenario that takes longer hangs. */
const SCENARIO_MS = 30_000;

/** The suite's sets of scenarios, one for each revision of the specification that we serve. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

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

/** Runs every scenario that a revision requires, and those it only reports; gives what each found, by its name. */
export async function runRequirements(
  revision: Revision,
  url: string,
): Promise<ReadonlyMap<string, ConformanceChecks>> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  try {
    const options = ["--url", url, "--requirements", revision, "--timeout", String(SCENARIO_MS)];
    const output = await run([SUITE, "server", ...options, "--output-dir", folder]);
    const found = new Map<string, ConformanceChecks>();
    for (const name of readdirSync(folder)) {
      // "server-SCENARIO-2026-11-21T05-47-21-255Z"
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
      const file = join(folder, name, "checks.json");
      if (scenario === undefined || !existsSync(file)) continue;
      found.set(scenario, checksSchema.parse(JSON.parse(readFileSync(file, "utf8"))));
    }
    if (found.size === 0) throw new Error(`the conformance suite left no checks: ${output}`);
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with the end of what it wrote; its exit code says only that something failed, which the checks say better. */
function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const preload = ["--import", join(ROOT, "scripts/glob-sync.mjs")];
    const child = spawn(process.execPath, [...preload, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(-4000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}
