import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL("../../../bench/main.ts", import.meta.url));

t.test("every benchmark gives right results, whatever they take", { timeout: 900_000 }, async (t) => {
  const { stdout } = await run(process.execPath, ["--import=tsx", MAIN, "--short"]);
  t.match(stdout, /^P5 +take_screenshot/m);
  t.match(stdout, /^P7 +CPU of the next viewer/m);
});
