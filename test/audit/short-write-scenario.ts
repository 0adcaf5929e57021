import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Audit } from "../../src/audit/audit.ts";
import { FakeClock } from "../fake-clock.ts";
import { fileSink } from "./file-sink.ts";

/** Runs where a file may not grow beyond a limit: writes events until one is refused, and tells of it as JSON. */
// Unheard, the signal ends a process that reaches its limit.
process.on("SIGXFSZ", () => undefined);
const path = process.argv[2] ?? "";
const audit = new Audit({ sink: await fileSink(dirname(path)), clock: new FakeClock(), version: "1" });
let secured = 0;
let code: unknown = null;
while (code === null && secured < 1000) {
  audit.record({ type: "mcp.tool_call", action: "x".repeat(100) });
  try {
    await audit.secured();
    secured++;
  } catch (error) {
    code = error instanceof Error && "code" in error ? error.code : String(error);
  }
}
const { size } = statSync(path);
const text = readFileSync(path, "utf8");
process.stdout.write(JSON.stringify({ secured, code, size, text, isWorking: audit.isWorking }));
process.exit(0);
