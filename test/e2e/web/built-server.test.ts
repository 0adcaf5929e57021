import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { requirePeers } from "../harness/peers.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DIST = join(ROOT, "dist");

const run = promisify(execFile);

/** Refuses what paints: its native part takes longer to load than a command needs for all else. */
const HOOK = `export async function resolve(name, context, next) {
  if (name === "@napi-rs/canvas") throw new Error("loaded by " + context.parentURL);
  return next(name, context);
}`;

t.test("stack traces of the built server name its sources", async (t) => {
  const said = '"Appliance serves"';
  const chunk = readdirSync(DIST).find(
    (name) => name.endsWith(".js") && readFileSync(join(DIST, name), "utf8").includes(said),
  );
  if (chunk === undefined) throw new Error(`no module of dist/ has ${said}`);
  const lines = readFileSync(join(DIST, chunk), "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes(said));
  const map = new SourceMap(JSON.parse(readFileSync(join(DIST, `${chunk}.map`), "utf8")));
  const found = map.findEntry(line, lines[line]?.indexOf(said) ?? -1);
  if (!("originalSource" in found)) throw new Error("the source map does not know that place");
  const { originalSource, originalLine } = found;
  t.equal(join(DIST, originalSource), join(ROOT, "src/appliance/serve.ts"));
  const source = readFileSync(join(ROOT, "src/appliance/serve.ts"), "utf8").split("\n");
  t.match(source[originalLine], said);
});

t.test("every thread has its entry beside the modules that open it", async (t) => {
  const entries = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /-worker\.ts$/.test(path) && !/^(web.client|extension)/.test(path))
    .map((path) => basename(path, ".ts"));
  t.ok(entries.length > 5);
  t.equal(new Set(entries).size, entries.length, "names are of one entry each");
  const built = readdirSync(DIST);
  for (const name of entries) t.ok(built.includes(`${name}.js`), name);
});

t.test("commands load nothing that paints", async (t) => {
  const hook = `import { register } from "node:module"; register(${JSON.stringify(asUrl(HOOK))});`;
  const call = (...words: string[]) =>
    run(process.execPath, [`--import=${asUrl(hook)}`, join(DIST, "main.js"), ...words], { cwd: ROOT });
  t.match((await call("--help")).stdout, /^overlay-companion /);
  await t.resolves(call("token", "list", "--data-dir", t.testdir()));
  const failure: unknown = await call("--demo", "--port", "0", "--data-dir", t.testdir()).catch(
    (error: unknown) => error,
  );
  t.match(failure, { stderr: /loaded by/ }, "what serves loads it, so the hook works");
});

t.test("on a terminal the welcome comes before the log, and the reason of a failure after it", async (t) => {
  if (!requirePeers(t, ["script"])) return;
  const port = `${await freePort()}`;
  const folder = t.testdir();
  /** What a person sees of it in a terminal. */
  const inTerminal = (data: string): Program => {
    const words = [process.execPath, join(DIST, "main.js"), "--demo", "--port", port, "--data-dir", data];
    const line = words.map((word) => `'${word}'`).join(" ");
    return new Program(t, "script", ["-qec", line, "/dev/null"], { stdin: "pipe" });
  };
  const served = inTerminal(join(folder, "one"));
  const seen = await served.waitFor(
    "the first lines of the log",
    ({ stdout }) => (stdout.includes('"Appliance serves"') ? stdout : null),
    60_000,
  );
  const welcome = seen.indexOf("Overlay Companion runs.");
  t.ok(welcome >= 0 && welcome < seen.indexOf('{"level"'), seen.slice(0, 1000));
  t.match(seen, `http://127.0.0.1:${port}/?token=`);
  const refused = inTerminal(join(folder, "two"));
  await refused.waitFor("its end", ({ isRunning }) => (isRunning ? null : true), 60_000);
  const lines = refused.stdout.trimEnd().split("\n");
  t.match(lines.at(-1), /^overlay-companion: .*in use/, refused.stdout);
});

t.test("the licence of every package in the server comes with it", async (t) => {
  const text = readFileSync(join(DIST, "bundled-licences.md"), "utf8");
  for (const name of ["fastify", "ajv", "ws", "zod", "pino", "yaml", "@modelcontextprotocol/server"]) {
    t.ok(text.includes(`## ${name} - `), name);
  }
});

function asUrl(module: string): string {
  return `data:text/javascript,${encodeURIComponent(module)}`;
}
