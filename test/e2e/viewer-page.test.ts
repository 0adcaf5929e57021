import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { Appliance } from "./appliance.ts";
import { accessibilityFaults, canvasShot, decodePicture, openBrowser, signIn } from "./browser.ts";
import { requirePeers } from "./peers.ts";
import { startTarget } from "./target.ts";
import { until } from "./until.ts";
import { differenceOf, type Shot } from "./xwd.ts";

const DESKTOP = { width: 1024, height: 768 };

/** What noVNC has drawn, at the desktop's own size; null before it drew anything. */
function viewerShot(page: Page): Promise<Shot | null> {
  return canvasShot(page, ".viewer-screen canvas");
}

function partOf(shot: Shot, x: number, y: number, width: number, height: number): Shot {
  const rgba = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * shot.width + x) * 4;
    rgba.set(shot.rgba.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, rgba };
}

/** Where the frame of the desktop lies in the page. */
async function frameOf(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.locator(".viewer-frame").boundingBox();
  if (!box) throw new Error("the viewer has no frame");
  return box;
}

/** The id of the only desktop. */
async function onlyDesktop(appliance: Appliance): Promise<string> {
  const answer = await appliance.fetch("/api/v1/desktops");
  const [first] = z.tuple([z.object({ id: z.string() })]).parse(await answer.json());
  return first.id;
}

t.test("a person watches, clicks through overlays, approves and stops", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "xdotool", "xwd", "xev"])) return;
  const target = await startTarget(t, "tigervnc", t.testdir(), {
    geometry: `${DESKTOP.width}x${DESKTOP.height}`,
  });
  const { display } = target;
  const probe = await display.openButtonProbe("400x300+100+100");
  const appliance = await Appliance.start(t, { connect: [target.url], mode: "assist" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const id = await onlyDesktop(appliance);
  const { page, complaints } = await signIn(await openBrowser(t), appliance);

  await t.test("the address that signs in keeps no token", async (t) => {
    t.equal(page.url(), `${appliance.url}/`);
    await page.locator(".tile a").first().click();
    await page.waitForURL(`**/desktops/${id}`);
  });

  await t.test("the canvas shows the desktop, pixel for pixel", async (t) => {
    let difference: string | null = "nothing was drawn";
    await until("the same picture", async () => {
      const seen = await viewerShot(page);
      if (seen) difference = differenceOf(seen, await display.shot());
      return difference === null;
    }).catch(() => undefined);
    t.equal(difference, null);
  });

  await t.test("an overlay drawn over MCP appears and lets a click through", async (t) => {
    await page.getByRole("button", { name: "Actual size (1:1)" }).click();
    await agent.call("draw_overlay", { x: 150, y: 150, width: 200, height: 100, label: "Press here" });
    const returnedAt = performance.now();
    await page.locator(".overlay").waitFor();
    t.comment(
      `the overlay was there ${Math.round(performance.now() - returnedAt)} ms after the call returned`,
    );
    t.equal(await page.locator(".overlay-tag").innerText(), "Press here");
    const overlay = await page.locator(".overlay").boundingBox();
    const frame = await frameOf(page);
    t.same(
      overlay && [overlay.x - frame.x, overlay.y - frame.y, overlay.width, overlay.height],
      [150, 150, 200, 100],
      "the overlay lies where it was asked for",
    );
    await page.mouse.click(frame.x + 230, frame.y + 210);
    await until("the click on the desktop", () => probe.presses().length === 1);
    t.same(probe.presses(), [{ x: 230, y: 210, button: 1 }]);
  });

  await t.test("an overlay that takes clicks has a button that removes it", async () => {
    await agent.call("clear_overlays");
    await agent.call("draw_overlay", {
      x: 150,
      y: 150,
      width: 200,
      height: 100,
      label: "Mine",
      click_through: false,
    });
    await page
      .getByRole("button", { name: /^Remove box “Mine”/ })
      .first()
      .click();
    await page.locator(".overlay").waitFor({ state: "detached" });
  });

  await t.test("a question of the agent is shown with its place, and A approves it", async (t) => {
    const before = probe.presses().length;
    const click = agent.call("click_at", { x: 300, y: 250, intent: "Open the menu" });
    const card = page.locator(".approval:not(.is-settled)");
    await card.waitFor();
    t.match(await card.innerText(), /Open the menu/);
    await card.locator("img").waitFor();
    t.equal(probe.presses().length, before, "nothing is done while nobody answered");
    await card.focus();
    await page.keyboard.press("a");
    t.match(await click, { was_confirmed: true });
    await until("the agent's click", () => probe.presses().length === before + 1);
    t.same(probe.presses().at(-1), { x: 300, y: 250, button: 1 });
    await page.locator(".action", { hasText: "Open the menu" }).waitFor();
  });

  await t.test("the stop chord stops agents from inside the desktop, and the bar resumes them", async (t) => {
    const frame = await frameOf(page);
    await page.mouse.click(frame.x + 600, frame.y + 600);
    await page.keyboard.press("Control+Alt+Shift+S");
    await page.getByRole("button", { name: "Stopped" }).waitFor();
    await t.rejects(agent.call("click_at", { x: 300, y: 250 }), { code: "stopped" });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  });

  await t.test("the escape chord gives the keyboard back", async (t) => {
    const frame = await frameOf(page);
    await page.mouse.click(frame.x + 600, frame.y + 600);
    t.equal(await page.evaluate<string>("document.activeElement.tagName"), "CANVAS");
    await page.keyboard.press("Control+Alt+Shift");
    await until("the focus in the bar", () =>
      page.evaluate<boolean>(`document.activeElement.closest(".viewer-bar") !== null`),
    );
  });

  await t.test("a cropped window shows its part and nothing else", async (t) => {
    await page.goto(`${appliance.url}/desktops/${id}?vx=80&vy=90&vw=320&vh=240&scale=1`);
    let difference: string | null = "nothing was drawn";
    await until("the same part", async () => {
      await page.locator(".viewer-screen canvas").waitFor();
      const { x, y, width, height } = await frameOf(page);
      const seen = await decodePicture(await page.screenshot({ clip: { x, y, width, height } }));
      difference = differenceOf(seen, partOf(await display.shot(), 80, 90, 320, 240));
      return difference === null;
    }).catch(() => undefined);
    t.equal(difference, null);
    const frame = await frameOf(page);
    await page.mouse.click(frame.x + 50, frame.y + 70);
    await until("the click", () => probe.presses().at(-1)?.x === 130);
    t.same(probe.presses().at(-1), { x: 130, y: 160, button: 1 });
  });

  await t.test("when the desktop goes, its last picture stays, greyed, with what to do", async (t) => {
    await page.goto(`${appliance.url}/desktops/${id}`);
    await until("a picture", () => viewerShot(page));
    await target.server.stop();
    await page.locator(".stage-card").waitFor();
    await page.locator(".stage.is-greyed").waitFor();
    t.ok(await page.locator(".stage-card").getByRole("button", { name: "Try now" }).isVisible());
    t.ok(await viewerShot(page), "the picture is still there");
  });

  t.same(complaints, [], "the browser complained of nothing: no script error, nothing against the policy");
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

  await t.test("a client that connects turns its light green", async () => {
    const { context, page } = await signIn(browser, appliance);
    await page.goto(`${appliance.url}/setup`);
    await page.locator(".choice", { hasText: "Any other client" }).click();
    await page.getByText("Any other client is connected.").waitFor();
    await context.close();
  });

  await t.test("a visitor without a session is asked to sign in, and a wrong token is said so", async (t) => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${appliance.url}/setup`);
    t.match(page.url(), /\/signin$/);
    await page.getByLabel("Access token").fill("not-the-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("is not valid").waitFor();
    await page.getByLabel("Access token").fill(appliance.adminToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".tile").first().waitFor();
    t.equal(page.url(), `${appliance.url}/`);
    await page.context().close();
  });
});
