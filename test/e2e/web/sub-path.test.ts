import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { WebSocket } from "ws";
import { EXTENSION_ORIGIN, SUBPROTOCOL } from "../../../src/browser/wire/calls.ts";
import { parsePairingLink } from "../../../src/browser/wire/pairing-link.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { viewerShot } from "../viewers/viewer-scenario.ts";
import { callByInspector, certificate, NAME, startProxy } from "./tls-proxy.ts";

const BASE = "/oc";

/** nginx hands the path on, Caddy takes it away; either has nothing at its root. */
const BELOW = {
  nginx: (text: string) => text.replace("location / {", `location ${BASE}/ {`),
  caddy: (text: string) =>
    text.replace(
      / {2}reverse_proxy [\s\S]*?\n {2}\}\n/,
      (block) => `  handle_path ${BASE}/* {\n${block}  }\n`,
    ),
} as const;

for (const name of ["nginx", "caddy"] as const) {
  t.test(`below a path, behind ${name}`, { timeout: 300_000 }, async (t) => {
    if (!requirePeers(t, [name, "chromium", "openssl"])) return;
    const dir = t.testdir();
    await certificate(dir);
    const appliance = await Appliance.start(t, {
      args: ["--demo"],
      env: {
        OC_ALLOWED_HOSTS: NAME,
        OC_TRUST_PROXY: "on",
        OC_BASE_PATH: BASE,
        OC_RECORDING_POLICY: "always",
      },
    });
    const port = await startProxy(t, name, dir, appliance.url, BELOW[name]);
    const root = `https://${NAME}:${port}`;

    await t.test("the web app asks for nothing beside it", async (t) => {
      const browser = await openBrowser(t, [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const complaints: string[] = [];
      const astray: string[] = [];
      const judge = (url: string): void => {
        const { protocol, pathname } = new URL(url);
        if (/^(https?|wss?):$/.test(protocol) && !pathname.startsWith(`${BASE}/`)) astray.push(url);
      };
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("request", (request) => judge(request.url()));
      page.on("websocket", (socket) => judge(socket.url()));
      page.on("framenavigated", (frame) => judge(frame.url()));

      await page.goto(`${root}${BASE}/?token=${appliance.adminToken}`);
      const tile = page.locator(`a[href^="${BASE}/desktops/"]`).first();
      await tile.waitFor();
      t.equal(new URL(page.url()).pathname, `${BASE}/`);
      const cookies = await context.cookies();
      t.ok(
        cookies.length > 0 &&
          cookies.every(({ secure, httpOnly, path }) => secure && httpOnly && path === BASE),
      );

      await tile.click();
      await page.waitForURL(`${root}${BASE}/desktops/**`);
      await until("a picture with something on it", async () => {
        const shot = await viewerShot(page);
        return shot !== null && new Set(shot.rgba).size > 20;
      });
      for (const [path, words] of [
        ["/recordings", /demo/i],
        ["/setup", new RegExp(`${root}${BASE}/mcp`)],
        ["/access", /token/i],
        ["/audit", /auth\.login/],
        ["/approvals", /approv/i],
      ] as const) {
        await page.goto(`${root}${BASE}${path}`);
        await page.getByText(words).first().waitFor({ state: "attached" });
      }
      await page.goto(`${root}${BASE}/recordings`);
      await page.locator(`a[href^="${BASE}/recordings/"]`).first().click();
      await page.locator("canvas").first().waitFor();
      const worker = await page.evaluate(async (url) => (await fetch(url)).status, `${BASE}/push-worker.js`);
      t.equal(worker, 200);

      const stranger = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
      stranger.on("request", (request) => judge(request.url()));
      await stranger.goto(`${root}${BASE}/setup`);
      await stranger.waitForURL(`${root}${BASE}/signin?next=%2Fsetup`);
      await stranger.getByRole("textbox").first().fill(appliance.adminToken);
      await stranger.getByRole("textbox").first().press("Enter");
      await stranger.waitForURL(`${root}${BASE}/setup`);
      t.same(astray, []);
      t.same(complaints, []);
    });

    await t.test("MCP", async (t) => {
      const url = `https://localhost:${port}${BASE}/mcp`;
      const answer = await callByInspector(dir, url, appliance.agentToken, ["get_display_info"]);
      t.notMatch(answer, { isError: true });
      const sse = `https://localhost:${port}${BASE}/sse`;
      const old = await callByInspector(dir, sse, appliance.agentToken, ["take_screenshot"], "sse");
      t.match(old, { content: [{ type: "text" }, { type: "image" }] }, "HTTP with SSE, of 2024-11-05");
    });

    await t.test("a browser's pairing names the path, and its socket is there", async (t) => {
      const answer = await fetch(`${appliance.url}${BASE}/api/v1/browsers/pairings`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${appliance.adminToken}`,
          "content-type": "application/json",
          "x-forwarded-proto": "https",
          "x-forwarded-host": `${NAME}:${port}`,
        },
        body: "{}",
      });
      t.equal(answer.status, 201);
      const { url } = parsePairingLink(JSON.parse(await answer.text()).link);
      t.equal(url, `wss://${NAME}:${port}${BASE}/ws/browser`);
      const socket = new WebSocket(url.replace(NAME, "localhost"), [SUBPROTOCOL], {
        headers: { origin: EXTENSION_ORIGIN },
        ca: readFileSync(join(dir, "cert.pem")),
      });
      await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
      socket.terminate();
    });
    appliance.assertAlive();
  });
}
