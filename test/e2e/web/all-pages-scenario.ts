import type { Page } from "playwright-core";
import type { Test } from "tap";
import { until } from "../../support/until.ts";
import { rest } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, openSizedText, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

/** What is wider than its place, in CSS pixels. */
const EXCESS = `[document.documentElement, ...document.querySelectorAll("dialog[open], .shell-head nav")]
  .map((one) => one.scrollWidth - one.clientWidth)`;

interface Sight {
  readonly name: string;
  readonly path: string;
  /** Brings the page to the state that is looked at. */
  readonly ready: (page: Page) => Promise<unknown>;
}

function heading(name: string): (page: Page) => Promise<unknown> {
  return (page) => page.getByRole("heading", { name, level: 1 }).waitFor();
}

/**
 * Looks at every page and state in both themes, in windows of these widths, CSS pixels; `fontPx`: the size of text that is
 * set in the browser.
 */
export async function sweep(t: Test, widths: readonly number[], fontPx: number | null = null): Promise<void> {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, {
    mode: "assist",
    env: { OC_APPROVAL_EXPIRY_MS: "600000", OC_APPROVAL_ARMING_MS: "100" },
  });
  const id = await onlyDesktop(appliance);
  const agent = await appliance.agent({ token: appliance.agentToken });
  const { height } = await until("a picture", () => agent.shot());
  await appliance.fetch("/api/v1/recordings", { desktop_id: id });
  await appliance.fetch(`/api/v1/desktops/${id}/mode`, { mode: "autopilot" });
  await agent.call("click_at", { x: 300, y: 210, intent: "open the menu" });
  await appliance.fetch(`/api/v1/desktops/${id}/mode`, { mode: "assist" });
  /** An MCP client waits a minute for an answer, and its question goes with it. */
  const asked: Promise<unknown>[] = [];
  const ask = async (): Promise<void> => {
    if ((await rest(appliance, "/api/v1/approvals")).length > 0) return;
    // Where nothing blinks, so that the question stays.
    const place = { x: 30, y: height - 20 };
    asked.push(agent.call("click_at", { ...place, intent: "open the menu" }).catch(() => undefined));
    await until("the question", async () => (await rest(appliance, "/api/v1/approvals")).length === 1);
  };
  const [recording] = await rest(appliance, "/api/v1/recordings");
  const lost = { protocol: "vnc", host: "127.0.0.1", port: 1, name: "Lab / Gone" };
  await appliance.fetch("/api/v1/desktops", lost);
  const gone = (await rest(appliance, "/api/v1/desktops")).find(({ id: one }) => one !== id);

  const picture = (page: Page): Promise<unknown> => until("a picture", () => viewerShot(page));
  const openTab = async (page: Page, name: string): Promise<void> => {
    const tab = page.getByRole("tab", { name });
    if (!(await tab.isVisible())) await page.getByRole("button", { name: /^Panel/ }).click();
    await tab.click();
  };
  const press = (name: string) => (page: Page) => page.getByRole("button", { name }).first().click();
  const sights: readonly Sight[] = [
    {
      name: "desktops",
      path: "/",
      ready: async (page) => {
        await ask();
        await page.locator("nav .badge").waitFor();
      },
    },
    {
      name: "add a desktop",
      path: "/",
      ready: async (page) => {
        await press("Add desktop")(page);
        await page.getByRole("dialog").waitFor();
      },
    },
    { name: "viewer", path: `/desktops/${id}`, ready: picture },
    {
      name: "viewer with extra keys",
      path: `/desktops/${id}`,
      ready: async (page) => {
        await picture(page);
        if (!(await page.getByRole("button", { name: "Extra keys" }).first().isVisible()))
          await press("More")(page);
        await page.getByRole("button", { name: "Extra keys" }).locator("visible=true").first().click();
        await page.locator(".extra-keys").waitFor();
      },
    },
    {
      name: "live list",
      path: `/desktops/${id}`,
      ready: async (page) => {
        await picture(page);
        await openTab(page, "Agent");
        await page.getByRole("list", { name: "Actions, newest first" }).waitFor();
      },
    },
    {
      name: "facts",
      path: `/desktops/${id}`,
      ready: async (page) => {
        await picture(page);
        await openTab(page, "Info");
        await page.locator(".facts").waitFor();
      },
    },
    {
      name: "hide text",
      path: `/desktops/${id}`,
      ready: async (page) => {
        await picture(page);
        await openTab(page, "Masks");
        await page.getByRole("button", { name: "Hide text" }).click();
        await page.getByRole("dialog", { name: /^Hide/ }).waitFor();
      },
    },
    { name: "connect", path: "/connect", ready: heading("Connect") },
    { name: "rules", path: `/desktops/${id}/rules`, ready: (page) => page.locator("main h1").waitFor() },
    {
      name: "approvals",
      path: "/approvals",
      ready: async (page) => {
        await ask();
        await page.locator(".approval").first().waitFor();
      },
    },
    { name: "recordings", path: "/recordings", ready: heading("Recordings") },
    {
      name: "player",
      path: `/recordings/${recording?.id}`,
      ready: (page) => page.locator("canvas").first().waitFor(),
    },
    {
      name: "export",
      path: `/recordings/${recording?.id}`,
      ready: async (page) => {
        await page.locator("canvas").first().waitFor();
        await press("Export")(page);
        await page.locator(".export-menu").waitFor();
      },
    },
    { name: "setup", path: "/setup", ready: (page) => page.locator("main h1").waitFor() },
    { name: "access", path: "/access", ready: (page) => page.locator("main h1").waitFor() },
    { name: "secrets", path: "/secrets", ready: (page) => page.locator("main h1").waitFor() },
    { name: "audit", path: "/audit", ready: (page) => page.locator("main h1").waitFor() },
    { name: "nothing there", path: "/no-such-page", ready: (page) => page.locator("main h1").waitFor() },
    {
      name: "desktop that is gone",
      path: `/desktops/${gone?.id}`,
      ready: (page) => page.locator(".stage-card").waitFor(),
    },
    { name: "no such desktop", path: "/desktops/none", ready: heading("No such desktop") },
  ];

  const browser = await openBrowser(t);
  const folder = process.env["OC_SCREENSHOTS"];
  for (const width of widths) {
    await t.test(`${width} px`, async (t) => {
      const viewport = { width, height: 800 };
      const sized = fontPx === null ? null : await openSizedText(t, fontPx);
      const page =
        sized === null ? (await signIn(browser, appliance, { viewport })).page : await sized.newPage();
      if (sized !== null) {
        await page.setViewportSize(viewport);
        await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
        t.equal(await page.evaluate<string>("getComputedStyle(document.documentElement).fontSize"), "26px");
      }
      for (const { name, path, ready } of sights) {
        const faults: string[] = [];
        await page.goto(`${appliance.url}${path}`);
        await ready(page);
        for (const colorScheme of ["dark", "light"] as const) {
          await page.emulateMedia({ colorScheme });
          faults.push(
            ...(await accessibilityFaults(page, "html")).map((fault) => `${colorScheme}: ${fault}`),
          );
          if (folder !== undefined) {
            await page.screenshot({
              path: `${folder}/all-${name.replaceAll(" ", "-")}-${colorScheme}-${width}${fontPx === null ? "" : "-large"}.png`,
            });
          }
        }
        const excess = await page.evaluate<number[]>(EXCESS);
        t.same(
          [...faults, ...excess.filter((pixels) => pixels > 0).map((pixels) => `${pixels} px cut`)],
          [],
          name,
        );
      }
      await page.context().close();
    });
  }
  await agent.close();
  await Promise.all(asked);
}
