import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "./viewer-scenario.ts";

const SCREENS = "{0,0 1600x900 label=one}{1600,0 1280x1024 label=two}";

t.test("a window for each monitor, on all screens of the computer", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t, [`--screen-info=${SCREENS}`]);
  const { page, context, complaints } = await signIn(browser, appliance, { viewport: null });
  await page.goto(`${appliance.url}/desktops/${id}`);
  await until("a picture", () => viewerShot(page));
  await page.getByRole("tab", { name: "Info" }).click();
  const all = page.getByRole("button", { name: "Open on all my screens" });
  await all.waitFor();

  await t.test("who says no is told so", async (t) => {
    await all.click();
    await page.getByText(/may not place windows/).waitFor();
    t.equal(context.pages().length, 1);
  });

  await t.test("each window is on a screen of its own and shows one monitor", async (t) => {
    const cdp = await browser.newBrowserCDPSession();
    const { browserContextIds } = await cdp.send("Target.getBrowserContexts");
    await cdp.send("Browser.grantPermissions", {
      ...{ permissions: ["windowManagement"], origin: appliance.url },
      browserContextId: browserContextIds.at(-1) ?? "",
    });
    await all.click();
    const windows = await until("two windows", () => {
      const opened = context.pages().slice(1);
      return opened.length === 2 ? opened : null;
    });
    const places: number[] = [];
    for (const window of windows) {
      await until("its picture", () => viewerShot(window));
      places.push(await window.evaluate<number>("screenX"));
      t.match(new URL(window.url()).search, /vx=\d+&vy=\d+&vw=\d+&vh=\d+/);
    }
    t.same(places, [0, 1600]);
    t.not(new URL(windows[0]?.url() ?? "").search, new URL(windows[1]?.url() ?? "").search);
  });
  t.same(complaints, []);
});
