import { unzipSync } from "fflate";
import t from "tap";
import { parsePairingLink } from "../../../src/browser/wire/pairing-link.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

const PATIENCE_MS = 600_000;

t.test(
  "the Setup page offers the extension and makes a pairing link",
  { timeout: PATIENCE_MS },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const appliance = await Appliance.start(t);
    const browser = await openBrowser(t);
    const { page, complaints } = await signIn(browser, appliance);
    await page.goto(`${appliance.url}/setup`);
    await page.getByRole("button", { name: "Make a pairing link" }).click();
    const link = await page.getByText(/^vf:\/\//).innerText();
    t.equal(parsePairingLink(link).url, `${appliance.url.replace("http", "ws")}/ws/browser`);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole("heading", { name: "Share a browser" }).scrollIntoViewIfNeeded();
      await looksWell(t, page, "setup-browser");
    }
    const address = await page.getByRole("link", { name: "Get the extension" }).getAttribute("href");
    const zip = await appliance.fetch(String(address));
    t.equal(zip.headers.get("content-type"), "application/zip");
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    const folder = "overlay-companion-bridge/";
    t.ok(Object.keys(files).every((name) => name.startsWith(folder)));
    for (const name of [
      "manifest.json",
      "worker.js",
      "popup.html",
      "popup.js",
      "welcome.html",
      "icon-128.png",
    ])
      t.ok((files[`${folder}${name}`]?.length ?? 0) > 100, `${name} is in it`);
    const manifest = Buffer.from(files[`${folder}manifest.json`] ?? []).toString();
    t.same(JSON.parse(manifest).permissions, ["debugger", "storage", "alarms"]);
    const step = page.getByRole("region", { name: "Share a browser" });
    for (const words of ["Developer mode", "Load unpacked", "Chrome, Chromium", "Edge", "Brave"])
      t.ok(await step.getByText(words, { exact: true }).isVisible(), words);
    for (const address of ["chrome://extensions", "edge://extensions", "brave://extensions"])
      t.ok(await step.getByText(address, { exact: true }).isVisible(), address);
    t.same(complaints, []);
  },
);
