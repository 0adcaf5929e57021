import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";

const run = promisify(execFile);
const LINKS = new URL("../../../../src/desktop/links/", import.meta.url);

// Each link in a thread loads these anew, so that what only descriptions of connections need is taken by every thread.
const HOOK = `export async function resolve(name, context, next) {
  if (name === "zod") throw new Error("zod is loaded by " + context.parentURL);
  return next(name, context);
}`;

t.test("threads of links load nothing that only describes connections", async (t) => {
  const hook = `import { register } from "node:module"; register(${JSON.stringify(asUrl(HOOK))});`;
  const files = [
    "worker/link-worker-thread.ts",
    "rdp/open-rdp.ts",
    "vnc/open-vnc.ts",
    "kasmvnc/open-kasm.ts",
  ];
  const all = files.map((file) => `await import(${JSON.stringify(new URL(file, LINKS).href)});`).join("\n");
  const args = ["--import=tsx", `--import=${asUrl(hook)}`, "--input-type=module", "-e", all];
  await t.resolves(
    run(process.execPath, args, { cwd: fileURLToPath(new URL("../../../../", import.meta.url)) }),
  );
});

function asUrl(module: string): string {
  return `data:text/javascript,${encodeURIComponent(module)}`;
}
