import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Agent } from "../harness/mcp-client.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];
/** Beside the one that runs the tests; npm has each as a package. */
const OTHER_NODES = ["22", "24", "26"];

const run = promisify(execFile);
/** As requirePeers: without npm's registry the test fails under CI, and says elsewhere that it was skipped. */
async function requireRegistry(t: Test): Promise<boolean> {
  const isThere = await run("npm", ["ping"]).then(
    () => true,
    () => false,
  );
  if (isThere) return true;
  const line = "needs npm's registry, to install the package as its users do";
  if (process.env["CI"]) t.fail(line);
  else process.stderr.write(`SKIPPED: ${line}\n`);
  return false;
}

const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

t.test(
  "the package, as npm installs it, serves the demo on every Node it is for",
  { timeout: 600_000 },
  async (t) => {
    if (!(await requireRegistry(t))) return;
    const dir = mkdtempSync(join(tmpdir(), "oc-package-"));
    t.teardown(() => rmSync(dir, { recursive: true, force: true }));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", dir], {
      cwd: ROOT,
      maxBuffer: 16 << 20,
    });
    const [packed] = packedSchema.parse(JSON.parse(stdout));

    await t.test("it has what runs and nothing else", async (t) => {
      const tops = [...new Set(packed.files.map(({ path }) => path.split("/")[0]))].sort();
      t.same(tops, ["LICENSE", "NOTICE", "README.md", "data", "dist", "package.json"]);
    });

    const install = async (folder: string, what: string): Promise<string> => {
      const cwd = mkdtempSync(join(dir, folder));
      writeFileSync(join(cwd, "package.json"), '{"private": true}');
      await run("npm", ["install", "--omit=dev", ...QUIET, what], { cwd, maxBuffer: 16 << 20 });
      return join(cwd, "node_modules");
    };
    const modules = await install("app-", join(dir, packed.filename));
    const manifest = z
      .object({ devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

    await t.test("nothing that only developers need comes along", async (t) => {
      const installed = readdirSync(modules);
      const tools = Object.keys(manifest.devDependencies).filter((name) => !name.startsWith("@"));
      t.same(
        tools.filter((name) => installed.includes(name)),
        [],
      );
    });

    for (const version of [null, ...OTHER_NODES]) {
      await t.test(`Node ${version ?? process.versions.node}`, async (t) => {
        const node =
          version === null
            ? process.execPath
            : join(await install("node-", `node@${version}`), "node/bin/node");
        const { stdout: says } = await run(node, ["--version"]);
        if (version !== null) t.match(says, new RegExp(`^v${version}\\.`));
        const [port, data] = [await freePort(), mkdtempSync(join(dir, "data-"))];
        const args = ["--demo", "--port", `${port}`, "--data-dir", data, "--mode", "autopilot"];
        const program = new Program(t, node, [join(modules, ".bin/overlay-companion"), ...args]);
        const url = `http://127.0.0.1:${port}`;
        await until(
          "GET /health",
          () => {
            if (!program.isRunning) throw new Error(`it ended: ${program.stderr.slice(-2000)}`);
            return fetch(`${url}/health`).then(
              ({ ok }) => ok,
              () => false,
            );
          },
          120_000,
        );
        const agent = await Agent.connect(
          `${url}/mcp`,
          readFileSync(join(data, "agent-token"), "utf8").trim(),
        );
        t.teardown(() => agent.close());
        const shot = await until("a picture", () => agent.shot());
        t.ok(shot.width > 1000, "a screenshot");
        const { matches } = await agent.call("find_text", { text: "Click me" });
        t.match(matches, [{ text: "Click me" }], "text is read, with the model that comes along");
        const clicked = await agent.call("click_text", { text: "Click me" });
        t.equal(clicked["changed"], true);
        const page = await fetch(`${url}/`, { headers: { accept: "text/html" } });
        t.match(await page.text(), /<div id="app"|<script/, "the web app");
        await program.stop();
        t.equal(program.exitCode, 0, "it stops by itself when asked to");
      });
    }
  },
);
