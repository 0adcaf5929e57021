import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const INSPECTOR = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", import.meta.url),
);
const run = promisify(execFile);

/** What the command line of the MCP Inspector prints for one method; a URL that ends in /sse is spoken to by HTTP with SSE. */
export async function inspect(url: string, ...args: readonly string[]): Promise<unknown> {
  const transport = url.endsWith("/sse") ? "sse" : "http";
  const argv = [INSPECTOR, "--cli", url, "--transport", transport, "--method", ...args];
  // It looks for its own package.json from where it is started.
  const cwd = dirname(INSPECTOR);
  const { stdout } = await run(process.execPath, argv, { cwd, maxBuffer: 64 << 20, timeout: 120_000 });
  return JSON.parse(stdout);
}
