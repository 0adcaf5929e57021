import { createServer } from "node:http";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { WebSocketServer } from "ws";
import * as z from "zod";
import { SUBPROTOCOL } from "../../../src/browser/wire/calls.ts";
import { formatPairingLink, parsePairingLink } from "../../../src/browser/wire/pairing-link.ts";
import { browserInfoSchema } from "../../../src/web/api/browsers-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell } from "../harness/browser.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { BridgedBrowser, pairingLink, saysIn } from "./bridged-browser.ts";

// A browser is paired, used, stopped and closed; what answers in the server's place gets nothing.

const PATIENCE_MS = 600_000;

/** What answers on a port in a server's place: it says hello, and welcomes without knowing the key. */
async function openImpostor(t: Test): Promise<{ readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => SUBPROTOCOL });
  sockets.on("connection", (socket) => {
    socket.send(JSON.stringify({ type: "hello", v: 1, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }));
    socket.on("message", (data) => {
      heard.push(String(data));
      socket.send(
        JSON.stringify({ type: "welcome", key_id: "x".repeat(22), server: "Evil", mac: "A".repeat(43) }),
      );
      socket.send(JSON.stringify({ id: "1", type: "tabs", params: {} }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `ws://127.0.0.1:${address.port}/ws/browser`, heard };
}

/** The tabs with the page for first use. */
const firstUseIn = (browser: BridgedBrowser): Page[] =>
  browser.context.pages().filter((page) => page.url().endsWith("/welcome.html"));

t.test("a browser is paired, shared, stopped and closed", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { mode: "autopilot" });
  let browser = await BridgedBrowser.open(t);
  let popup = await browser.popup();
  const agent = await appliance.agent();

  // Who installs it is shown how it goes, by itself.
  const welcome = await until("the page for first use", () => firstUseIn(browser)[0] ?? null, 60_000);
  t.same(
    await welcome.getByRole("listitem").getByRole("heading").allInnerTexts(),
    ["Pair with your server", "Choose what is shared", "Stop at any time"],
    "the steps of first use",
  );
  for (const width of [390, 1440]) {
    await welcome.setViewportSize({ width, height: 900 });
    await looksWell(t, welcome, "welcome");
  }
  await welcome.close();

  await saysIn(popup, /Not paired/);
  await until("no badge before it is paired", async () => (await browser.badge()) === "");
  await looksWell(t, popup, "popup-unpaired");
  await popup.getByLabel("Pairing link").fill("http://example.org");
  await popup.getByRole("button", { name: "Pair" }).click();
  await popup.getByRole("alert").waitFor();
  t.match(await popup.getByRole("alert").innerText(), /no pairing link/);
  await looksWell(t, popup, "popup-fault");

  const { url, heard } = await openImpostor(t);
  const real = parsePairingLink(await pairingLink(appliance));
  await browser.pair(popup, formatPairingLink({ ...real, url }));
  await saysIn(popup, /Not your server/);
  await until("the badge to warn of an impostor", async () => (await browser.badge()) === "!");
  t.equal(heard.filter((text) => text.includes('"success"')).length, 0, "no command of an impostor is done");
  t.notMatch(heard.join(), real.code, "nor does it hear the code");
  await looksWell(t, popup, "popup-impostor");
  await popup.getByRole("button", { name: "Forget" }).click();
  await popup.getByRole("button", { name: "Really forget it" }).click();
  await saysIn(popup, /Not paired/);
  await until("the badge to be gone", async () => (await browser.badge()) === "");

  const link = await pairingLink(appliance);
  await browser.pair(popup, link);
  await saysIn(popup, /Connected/);
  t.equal(await browser.badge(), "0");
  t.match(await agent.call("browser_get_tabs"), { tabs: [], browsers: [{ is_connected: true }] });
  const page = await browser.context.newPage();
  await page.goto(`${appliance.url}/signin`);
  await popup.bringToFront();
  await popup.getByRole("checkbox", { name: /Sign in/ }).check();
  await until("the badge to count", async () => (await browser.badge()) === "1");
  const shared = await until("the tab to be listed", async () => {
    const { tabs } = await agent.call("browser_get_tabs");
    return Array.isArray(tabs) && tabs.length === 1 ? String(tabs[0]?.tab_id) : null;
  });
  t.match(await agent.call("browser_get_accessibility_tree", { tab_id: shared }), { title: /Sign in/ });
  await looksWell(t, popup, "popup-shared");
  const cut = `[...document.querySelectorAll("main *")].filter((one) => one.closest(".tabs") === null
    && getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth).map((one) => one.textContent)`;
  t.same(await popup.evaluate<string[]>(cut), [], "nothing that the popup itself says is cut");

  // The browser ends the worker whenever it likes: consent stays.
  const target = await browser.context.newCDPSession(popup);
  await target.send("ServiceWorker.enable").catch(() => undefined);
  await target.send("ServiceWorker.stopAllWorkers").catch(() => undefined);
  await popup.reload();
  await saysIn(popup, /Agents can use one tab/, 60_000);
  await until("the tab to be read again", () =>
    agent.call("browser_get_accessibility_tree", { tab_id: shared }).catch(() => null),
  );

  await popup.getByRole("button", { name: "Stop" }).click();
  await saysIn(popup, /Stopped/);
  await looksWell(t, popup, "popup-stopped");
  t.equal(await browser.badge(), "STOP");
  const refused = await agent
    .call("browser_get_accessibility_tree", { tab_id: shared })
    .catch((error) => error);
  t.ok(refused instanceof ToolRefusal && refused.code === "browser_away");
  await popup.getByRole("button", { name: "Resume" }).click();
  await saysIn(popup, /Nothing is shared/);
  await t.rejects(agent.call("browser_get_accessibility_tree", { tab_id: shared }), {
    code: "tab_not_shared",
  });

  // A code that was used pairs nobody else, and consent ends with the browser.
  await popup.getByRole("checkbox", { name: /Sign in/ }).check();
  await browser.context.close();
  browser = await BridgedBrowser.open(t, browser.profile);
  popup = await browser.popup();
  await saysIn(popup, /Nothing is shared/, 60_000);
  t.notOk(await popup.getByLabel(/New tabs/).isChecked());

  const listed = z.array(browserInfoSchema).parse(await (await appliance.fetch("/api/v1/browsers")).json());
  await appliance.fetch(`/api/v1/browsers/${listed[0]?.id}`, undefined, {
    method: "DELETE",
    headers: { authorization: `Bearer ${appliance.adminToken}` },
  });
  await saysIn(popup, /not paired any more/, 60_000);
  await until("the badge to say that something is to be done", async () => (await browser.badge()) === "!");
  await popup.getByRole("button", { name: "Forget" }).click();
  await popup.getByRole("button", { name: "Really forget it" }).click();
  await saysIn(popup, /Not paired/);
  await browser.pair(popup, link);
  await saysIn(popup, /unknown, used or too old/);
});
