import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
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
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  await t.test("a page without a canvas does not load noVNC, the viewer does", async (t) => {
    const { context, page } = await signIn(browser, appliance);
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(`${appliance.url}/setup`);
    await page.locator(".snippet-head").waitFor();
    t.notOk(loaded.some((url) => /\/rfb-/.test(url)));
    t.equal(
      (await page.request.get(`${appliance.url}/nothing`)).status(),
      404,
      "nor is there any other page",
    );
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
      // Of that protocol's clients each says who it is when it connects, and not only with its first call.
      const client = await appliance.agent({ era: "2025-11-25" });
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
