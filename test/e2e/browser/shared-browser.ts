import type { Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { XDisplay } from "../harness/x-display.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";

/** A browser of this size on a live desktop with a window manager, paired, whose agents may open tabs; and a site for it. */
export async function openSharedBrowser(t: Test, size: string, mode?: "autopilot") {
  const site = await openBridgeSite(t);
  const display = await XDisplay.start(t, { geometry: "1280x900" });
  await display.openWindowManager();
  const appliance = await Appliance.start(t, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    ...(mode === undefined ? {} : { mode }),
    env: { OC_BROWSER_SCRIPTS: "allow" },
  });
  const browser = await PersonBrowser.open(t, {
    display: display.name,
    args: ["--window-position=120,60", `--window-size=${size}`],
  });
  await browser.pair(await pairingLink(appliance));
  await browser.letOpenTabs();
  const agent = await appliance.agent();
  await until("the desktop to be live", () => agent.call("take_screenshot").then(Boolean));
  return { site, display, appliance, agent };
}
