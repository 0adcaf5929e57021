import { fileURLToPath } from "node:url";
import t from "tap";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";

// The server goes away and comes back: the browser is there again by itself, with the same tabs shared.

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const PATIENCE_MS = 900_000;

t.test(
  "a browser connects again by itself when the server is restarted",
  { timeout: PATIENCE_MS },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const site = await openBridgeSite(t);
    const appliance = await Appliance.start(t);
    const browser = await PersonBrowser.open(t);
    await browser.pair(await pairingLink(appliance));
    await browser.letOpenTabs();
    const before = await appliance.agent();
    const { tab_id } = await before.call("browser_create_tab", { url: `${site.url}/two` });
    t.match(await before.call("browser_get_accessibility_tree", { tab_id }), { tree: /heading "Second"/ });
    await appliance.program.stop();

    // The same address: the extension proves itself to no other.
    const { port } = new URL(appliance.url);
    const args = [
      "--host",
      "127.0.0.1",
      "--port",
      port,
      "--data-dir",
      appliance.dataDir,
      "--mode",
      "autopilot",
    ];
    const env = { OC_TOKEN: appliance.adminToken, OC_RATE_LIMITS: "off" };
    const again = new Program(t, process.execPath, [MAIN, ...args], { env });
    t.teardown(() => again.stop());
    const isUp = () => appliance.fetch("/health").then(({ ok }) => ok);
    await until("the server to be back", () => isUp().catch(() => false), 180_000);
    const agent = await Agent.connect(`${appliance.url}/mcp`, appliance.adminToken);
    t.teardown(() => agent.close());
    const read = await until(
      "the tab to be read again",
      () => agent.call("browser_get_accessibility_tree", { tab_id }).catch(() => null),
      120_000,
    );
    t.match(read, { tree: /heading "Second"/ }, "the tab has its id, and is shared still");
    t.match(await agent.call("browser_get_tabs"), { browsers: [{ is_connected: true }] });
  },
);
