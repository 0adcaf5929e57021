import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";
import { callByInspector, certificate, NAME, startProxy } from "./tls-proxy.ts";

for (const name of ["nginx", "caddy"] as const) {
  t.test(`behind ${name}, as the guide configures it`, { timeout: 180_000 }, async (t) => {
    if (!requirePeers(t, [name, "chromium", "openssl", "curl"])) return;
    const dir = t.testdir();
    await certificate(dir);
    const appliance = await Appliance.start(t, {
      args: ["--demo"],
      env: { OC_ALLOWED_HOSTS: NAME, OC_TRUST_PROXY: "on" },
    });
    const port = await startProxy(t, name, dir, appliance.url);

    await t.test("pages and the viewer's WebSocket", async (t) => {
      const browser = await openBrowser(t, [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(`https://${NAME}:${port}/?token=${appliance.adminToken}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.goto(`https://${NAME}:${port}/desktops/${await onlyDesktop(appliance)}`);
      await until("a picture with something on it", async () => {
        const shot = await viewerShot(page);
        return shot !== null && new Set(shot.rgba).size > 20;
      });
      t.same(complaints, []);
      const cookies = await context.cookies();
      t.ok(cookies.length > 0 && cookies.every(({ secure, httpOnly }) => secure && httpOnly));
    });

    await t.test("MCP, and its answer while somebody is waited for", async (t) => {
      const url = `https://localhost:${port}/mcp`;
      const answer = await callByInspector(dir, url, appliance.agentToken, [
        "wait_for",
        "--tool-arg",
        "condition=stable",
        "timeout_ms=2000",
      ]);
      t.notMatch(answer, { isError: true });
    });

    await t.test(
      "the audit log has the address of who connects, not what a header of theirs claims",
      async (t) => {
        const status = await promisify(execFile)("curl", [
          ...["-sk", "--interface", "127.0.0.7", "--resolve", `${NAME}:${port}:127.0.0.1`],
          ...["-H", "X-Forwarded-For: 192.0.2.1", "-H", "Authorization: Bearer wrong-token-of-a-guesser"],
          ...["-o", join(dir, "answer"), "-w", "%{http_code}", `https://${NAME}:${port}/api/v1/desktops`],
        ]);
        t.equal(status.stdout, "401");
        const log = await until("the event", () => {
          const text = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
          return text.includes("127.0.0.7") ? text : null;
        });
        t.notMatch(log, /192\.0\.2\.1/);
      },
    );
    appliance.assertAlive();
  });
}
