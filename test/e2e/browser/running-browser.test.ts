import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";

// A Chromium that somebody else started is a desktop over its debugging port, and outlives whoever attaches to it.

const PAGE = `data:text/html,<style>html{background:%23123456}</style><title>Theirs</title>
<script>onclick=e=>{if(e.isTrusted)document.documentElement.style.background="%2300ff7f"}</script>`;
const targetsSchema = z.array(z.object({ id: z.string(), type: z.string(), url: z.string() }));

/** As a person starts one: headless only because no display is needed for this. */
class Theirs {
  readonly #folder: string;
  readonly program: Program;

  constructor(t: Test, port = 0, folder = mkdtempSync(join(tmpdir(), "oc-theirs-"))) {
    t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    this.#folder = folder;
    const args = ["--headless=new", `--remote-debugging-port=${port}`, `--user-data-dir=${folder}`];
    this.program = new Program(t, "chromium", [...args, "--no-sandbox", "--disable-gpu", PAGE]);
  }

  async port(): Promise<number> {
    return await until("its port", () => {
      const [line = ""] = readFileSync(join(this.#folder, "DevToolsActivePort"), "utf8").split("\n");
      return Number(line) || null;
    });
  }

  async pages(port: number) {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    return targetsSchema.parse(await answer.json()).filter(({ type }) => type === "page");
  }
}

const colourAt = async (agent: Agent, x: number, y: number): Promise<string> => {
  const { rgba, width } = await agent.shot();
  return Buffer.from(rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)).toString("hex");
};

t.test("a browser that runs already is a desktop, and stays", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const theirs = new Theirs(t);
  const port = await theirs.port();
  const [before] = await until("its page", async () => {
    const pages = await theirs.pages(port);
    return pages.length === 1 ? pages : null;
  });
  const url = `browser+cdp://127.0.0.1:${port}?width=800&height=600`;
  const appliance = await Appliance.start(t, { connect: [url] });
  const agent = await appliance.agent();
  await until("its picture", async () => (await colourAt(agent, 400, 300)) === "123456");
  const { width, height } = await agent.shot();
  t.same({ width, height }, { width: 800, height: 600 });
  await agent.call("click_at", { x: 400, y: 300 });
  await until("a trusted click", async () => (await colourAt(agent, 400, 300)) === "00ff7f");

  await agent.call("press_keys", { keys: ["ctrl+t"] });
  await until("a second page", async () => (await theirs.pages(port)).length === 2);
  await agent.call("press_keys", { keys: ["ctrl+w"] });
  await until("the first one again", async () => (await theirs.pages(port)).length === 1);
  await until("its picture again", async () => (await colourAt(agent, 400, 300)) === "00ff7f");
  await agent.call("press_keys", { keys: ["ctrl+w"] });
  await until("the start page in its last tab", async () => {
    const [page] = await theirs.pages(port);
    return page?.id === before?.id && page?.url.startsWith("data:text/html;charset=utf-8");
  });

  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  await appliance.fetch(`/api/v1/desktops/${desktop?.id}`, undefined, { method: "DELETE" });
  t.equal((await theirs.pages(port))[0]?.id, before?.id, "it was let go, and runs");
  t.ok(theirs.program.isRunning);
});

t.test("what is no debugging port is told with what to do", { timeout: 120_000 }, async (t) => {
  const other = createServer((_asked, answer) => answer.writeHead(404).end("no"));
  t.teardown(() => other.close());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", () => resolve()));
  const address = other.address();
  const otherPort = typeof address === "object" && address !== null ? address.port : 0;
  const nobody = await freePort();
  const appliance = await Appliance.start(t);
  const tried = async (host: string, port: number): Promise<string> => {
    const body = { protocol: "browser", host, port };
    return (await appliance.fetch("/api/v1/desktops/test", body)).text();
  };
  t.match(await tried("127.0.0.1", nobody), /nothing listens on that port: start the browser with --remote-/);
  t.match(await tried("127.0.0.1", otherPort), /got HTTP 404 for .json.version, expected the debugging port/);
  t.match(await tried("203.0.113.7", 9222), /on this machine alone unless targets\.only names it/);
  const refused = await appliance.fetch("/api/v1/desktops", {
    ...{ protocol: "browser", host: "127.0.0.1", browser: { profile: "shop" } },
  });
  t.equal(refused.status, 400);
  t.match(await refused.text(), /browser\.profile for one that runs already/);
});
