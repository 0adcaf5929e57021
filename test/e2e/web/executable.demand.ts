// On demand, for it builds 100 MB and more: npm run test:e2e -- test/e2e/web/executable.demand.ts
import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { Agent } from "../harness/mcp-client.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const LARGEST = 160e6;

const run = promisify(execFile);
const said = z.looseObject({ stderr: z.string(), code: z.number() });

t.test("the stand-alone executable runs where there is no Node", { timeout: 900_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "oc-executable-test-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "overlay-companion");
  await run(process.execPath, [join(ROOT, "scripts/executable.mjs"), file], { maxBuffer: 16 << 20 });
  const { size } = statSync(file);
  t.ok(size <= LARGEST, `${size} bytes`);

  const cache = join(dir, "cache");
  const data = join(dir, "data");
  /** All that it sees: no PATH, no home. */
  const env = { OC_UNPACK_DIR: cache };
  const call = (...args: string[]) => run(file, [...args, "--data-dir", data], { env, cwd: dir });

  const startedAt = performance.now();
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  t.equal((await call("--version")).stdout, `${version}\n`);
  const firstMs = performance.now() - startedAt;
  await call("--version");
  const secondMs = performance.now() - startedAt - firstMs;
  t.comment(`${size} bytes; first start ${firstMs.toFixed(0)} ms, second ${secondMs.toFixed(0)} ms`);

  await t.test("it serves the demo, with every native part at work", async (t) => {
    const port = await freePort();
    const words = ["--demo", "--port", `${port}`, "--data-dir", data, "--mode", "autopilot"];
    const server = spawn(file, words, { env, cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
    const ended = new Promise<number | null>((resolve) => server.once("close", resolve));
    t.teardown(() => server.kill("SIGKILL"));
    const url = `http://127.0.0.1:${port}`;
    await until(
      "GET /health",
      () => {
        if (server.exitCode !== null) throw new Error(`it ended: ${log.slice(-2000)}`);
        return fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      120_000,
    );
    const agent = await Agent.connect(`${url}/mcp`, readFileSync(join(data, "agent-token"), "utf8").trim());
    t.teardown(() => agent.close());
    const shot = await until("a picture", () => agent.shot());
    t.ok(shot.width > 1000, "a screenshot, by the threads that encode");
    for (const format of ["jpeg", "webp"]) {
      t.match(await agent.call("take_screenshot", { format }), { width: shot.width }, format);
    }
    const { matches } = await agent.call("find_text", { text: "Click me" });
    t.match(matches, [{ text: "Click me" }], "text is read");
    // What it changed is read, for on a busy machine the action may be told before that is seen.
    await agent.call("click_text", { text: "Click me" });
    const isCounted = async (): Promise<boolean> => {
      const { matches: found } = await agent.call("find_text", { text: "Clicked" });
      return Array.isArray(found) && found.length > 0;
    };
    t.ok(await until("the button counts the click", isCounted, 60_000), "the demo was clicked");
    const page = await fetch(`${url}/`, { headers: { accept: "text/html" } });
    t.match(await page.text(), /<script/, "the web app");
    const token = readFileSync(join(data, "admin-token"), "utf8").trim();
    const stdio = await fetch(`${url}/config/stdio`, { headers: { authorization: `Bearer ${token}` } });
    t.match(
      JSON.stringify(await stdio.json()),
      JSON.stringify(file).slice(1, -1),
      "clients start the executable",
    );
    server.kill("SIGTERM");
    t.equal(await ended, 0, "it stops by itself when asked to");
  });

  await t.test("its commands work on what it left", async (t) => {
    t.match((await call("audit", "verify")).stdout, /^intact: lines 1 to \d+/);
    t.match((await call("token", "list")).stdout, /agent/);
    const looked = await call("doctor", "--json").catch((error) => error);
    t.ok(Array.isArray(JSON.parse(looked.stdout).checks ?? JSON.parse(looked.stdout)), "doctor");
    const { stdout } = await run(file, ["service", "install", "--user", "--dry-run", "--demo"], { env });
    t.match(stdout, `ExecStart=${file} serve --demo`, "a service runs the executable");
  });

  await t.test("what it unpacked is its user's alone, and made anew where it is not whole", async (t) => {
    const [key = ""] = readdirSync(cache);
    t.same(readdirSync(cache), [key], "nothing half unpacked");
    t.equal(statSync(join(cache, key)).mode & 0o777, 0o700);
    const main = join(cache, key, "dist/main.js");
    const bytes = readFileSync(main);
    truncateSync(main, 10);
    t.equal((await call("--version")).stdout, `${version}\n`);
    t.same(readFileSync(main), bytes);
    chmodSync(cache, 0o777);
    const failure = said.parse(await call("--version").catch((error) => error));
    t.equal(failure.code, 1);
    t.match(failure.stderr, /has mode 777, so others may write to it; expected 700/);
    t.match(failure.stderr, /OC_UNPACK_DIR/);
  });
});
