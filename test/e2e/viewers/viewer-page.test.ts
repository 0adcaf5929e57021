import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { openScene, requireScene } from "../targets/scene-target.ts";
import { onlyDesktop, playViewer, viewerShot } from "./viewer-scenario.ts";

t.test("a person watches, clicks through overlays, approves and stops", { timeout: 180_000 }, async (t) => {
  if (!requireScene(t, "tigervnc", ["chromium"])) return;
  await playViewer(t, await openScene(t, "tigervnc"));
});

t.test("every page can be used by everybody", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { mode: "assist" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const id = await onlyDesktop(appliance);
  await agent.call("draw_overlay", { x: 150, y: 150, width: 200, height: 100, label: "Look here" });
  const browser = await openBrowser(t);
  const pages = ["/", `/desktops/${id}`, "/approvals", "/setup", "/signin?error=wrong", "/nothing"];

  for (const colorScheme of ["dark", "light"] as const) {
    for (const width of [1440, 360]) {
      await t.test(`no page fails axe or overflows: ${colorScheme}, ${width} px`, async (t) => {
        const { context, page } = await signIn(browser, appliance, {
          colorScheme,
          viewport: { width, height: 800 },
        });
        // Left to the system, the viewer is dark in both.
        await context.addInitScript(`localStorage.setItem("overlay-companion.theme", "${colorScheme}")`);
        for (const path of pages) {
          const answer = await page.goto(`${appliance.url}${path}`);
          if (path === "/nothing") {
            t.equal(answer?.status(), 404);
            continue;
          }
          await page.locator("main h1, header h1").first().waitFor({ state: "attached" });
          if (path === `/desktops/${id}`) await until("a picture", () => viewerShot(page));
          t.same(await accessibilityFaults(page), [], path);
          const excess = await page.evaluate<number>(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          );
          t.equal(excess, 0, `${path} is not wider than its window`);
        }
        await context.close();
      });
    }
  }

  await t.test("a page without a canvas does not load noVNC, the viewer does", async (t) => {
    const { context, page } = await signIn(browser, appliance);
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(`${appliance.url}/setup`);
    await page.locator(".snippet-head").waitFor();
    t.notOk(loaded.some((url) => /\/rfb-/.test(url)));
    await page.goto(`${appliance.url}/desktops/${id}`);
    await until("a picture", () => viewerShot(page));
    t.ok(loaded.some((url) => /\/rfb-/.test(url)));
    await context.close();
  });

  await t.test(
    "a client that connects turns its light green, and one that has left is not called so",
    async () => {
      const { context, page } = await signIn(browser, appliance);
      await page.goto(`${appliance.url}/setup`);
      await page.locator(".choice", { hasText: "Any other client" }).click();
      const client = await appliance.agent();
      await page.getByText("Any other client is connected.").waitFor();
      await client.close();
      await page.clock.setFixedTime(Date.now() + 600_000);
      await page.getByText(/^Any other client connected, and last called (9|10|11) min ago\.$/).waitFor();
      await context.close();
    },
  );

  await t.test("setting up begins and ends a recording", async (t) => {
    const { context, page } = await signIn(browser, appliance);
    await page.goto(`${appliance.url}/setup`);
    const step = page.getByRole("region", { name: "Record what happens" });
    await step
      .getByRole("button", { name: /^Record / })
      .first()
      .click();
    await step
      .getByRole("button", { name: /^Stop recording / })
      .first()
      .click();
    await step
      .getByRole("button", { name: /^Record / })
      .first()
      .waitFor();
    const kept: unknown = await (await appliance.fetch("/api/v1/recordings")).json();
    t.match(kept, [{ state: "sealed" }]);
    await context.close();
  });

  await t.test("a visitor without a session is asked to sign in, and a wrong token is said so", async (t) => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${appliance.url}/setup`);
    t.equal(page.url(), `${appliance.url}/signin?next=%2Fsetup`);
    await page.getByLabel("Access token").fill("not-the-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("is not valid").waitFor();
    await page.getByLabel("Access token").fill(appliance.adminToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${appliance.url}/setup`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.context().close();
  });
});
