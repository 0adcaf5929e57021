import t from "tap";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

/** Counts what moves by itself after it was seen (https://web.dev/articles/cls). */
const COUNT_SHIFTS = `globalThis.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) shifted += value;
}).observe({ type: "layout-shift", buffered: true });`;
/** Next to nothing; 0.06 where one step pushed the others down. */
const MOST_SHIFT = 0.01;

t.test("what comes late to Setup pushes nothing down that was seen", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const browser = await openBrowser(t);
  const { context, page } = await signIn(browser, appliance, { viewport: { width: 390, height: 800 } });
  await page.addInitScript(COUNT_SHIFTS);
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/config", async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto(`${appliance.url}/setup`);
  await page.getByRole("heading", { name: "Connect your agent" }).waitFor();
  const frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
  await page.evaluate(frames);
  release();
  await page.locator(".snippet-head").first().waitFor();
  await page.getByRole("heading", { name: "Choose a desktop" }).waitFor();
  await page.evaluate(frames);
  const shifted = await page.evaluate<number>("shifted");
  t.ok(shifted <= MOST_SHIFT, `${shifted}`);
  await context.close();
});
