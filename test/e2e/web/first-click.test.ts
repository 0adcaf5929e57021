import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const GUIDE = readFileSync(join(ROOT, "docs/guides/first-click.md"), "utf8");
const [install, ...blocks] = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
const [call = "", look = "", draw = "", click = ""] = blocks;

t.test("the tutorial's commands do what it says", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "curl"])) return;
  t.equal(install, "npm ci\nnpm start\n");
  t.equal(blocks.length, 4);
  // The data directory is below the home directory, and the address is the default one: both are this test's own here.
  const home = mkdtempSync(join(tmpdir(), "oc-first-click-"));
  const port = await freePort();
  const env = { HOME: home, XDG_DATA_HOME: "", OC_PORT: `${port}` };
  // What npm runs, in a process that signals reach.
  t.match(readFileSync(join(ROOT, "package.json"), "utf8"), '"start": "node scripts/start.mjs"');
  const server = new Program(t, process.execPath, [join(ROOT, "scripts/start.mjs")], { env });
  t.teardown(async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    "it prints its address",
    () => {
      if (!server.isRunning) throw new Error(`npm start ended: ${server.stderr.slice(-2000)}`);
      return (server.stdout + server.stderr).includes(url);
    },
    120_000,
  );
  const run = (block: string): Program =>
    new Program(t, "bash", ["-ec", `${call}\n${block}`.replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`)], {
      env,
    });
  const printed = async (program: Program): Promise<string> => {
    await until("the commands end", () => !program.isRunning, 60_000);
    t.equal(program.exitCode, 0, program.stderr);
    return program.stdout;
  };

  const token = readFileSync(join(home, ".local/share/overlay-companion/admin-token"), "utf8").trim();
  const page = await (await openBrowser(t)).newPage();
  await page.goto(`${url}/?token=${token}`);
  await page.locator(".tile a").first().click();
  await page.locator(".viewer-screen canvas").waitFor();

  const seen = await printed(run(look));
  t.match(seen, /Click me/, "the text of the desktop");
  t.match(seen, /"type":"image"|"image\/png"|screenshot/, "and a picture");

  t.match(await printed(run(draw)), /overlay_id/);

  const clicking = run(click);
  const card = page.locator(".card.approval").first();
  await card.getByRole("button", { name: "Approve" }).waitFor();
  t.ok(clicking.isRunning, "the command waits");
  t.match(await card.textContent(), /Click me|click/i);
  await until(
    "the approval is taken",
    async () => {
      if (!clicking.isRunning) return true;
      await card
        .getByRole("button", { name: "Approve" })
        .click({ timeout: 1000 })
        .catch(() => undefined);
      return !clicking.isRunning;
    },
    40_000,
  );
  const answer = await printed(clicking);
  t.match(answer, /"changed":true|changed_rects/);
  t.notMatch(answer, /"isError":true/);
});
