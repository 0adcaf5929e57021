import type { Page } from "playwright-core";
import type { Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { canvasShot, decodePicture, openBrowser, signIn } from "../harness/browser.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import type { SceneTarget } from "../targets/scene-target.ts";

/** What noVNC has drawn, at the desktop's own size; null before it drew anything. */
export function viewerShot(page: Page): Promise<Shot | null> {
  return canvasShot(page, ".viewer-screen canvas");
}

/** A rectangle of a picture. */
export function partOf(shot: Shot, x: number, y: number, width: number, height: number): Shot {
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
export async function onlyDesktop(appliance: Appliance): Promise<string> {
  const answer = await appliance.fetch("/api/v1/desktops");
  const [first] = z.tuple([z.object({ id: z.string() })]).parse(await answer.json());
  return first.id;
}

/** A person watches, clicks through overlays, approves and stops. Needs a screen of 1024x768. */
export async function playViewer(t: Test, target: SceneTarget): Promise<void> {
  const appliance = await Appliance.start(t, { connect: [target.url], mode: "assist" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const id = await onlyDesktop(appliance);
  await until("a picture", () => agent.shot());
  const display = await target.display();
  const probe = await display.openButtonProbe("400x300+100+100");
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
    await page.mouse.move(frame.x + 120, frame.y + 140);
    await page.mouse.down();
    await page.mouse.move(frame.x + 300, frame.y + 200, { steps: 4 });
    await page.mouse.up();
    t.equal(await page.evaluate("String(getSelection())"), "", "a drag over it selects none of its words");
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

  await t.test("a press goes to the desktop and takes over, whatever an agent draws over it", async (t) => {
    const before = probe.presses().length;
    for (const annotation_type of ["highlight", "box", "text"]) {
      await agent.call("draw_overlay", {
        ...{ x: 0, y: 0, width: 3000, height: 3000, label: "  x", opacity: 0, click_through: false },
        annotation_type,
      });
    }
    await page.locator(".overlay").nth(2).waitFor();
    const frame = await frameOf(page);
    await page.mouse.click(frame.x + 230, frame.y + 210);
    await until("the press on the desktop", () => probe.presses().length === before + 1);
    t.same(probe.presses().at(-1), { x: 230, y: 210, button: 1 });
    const held = z.object({ holder: z.object({ kind: z.string() }).nullable() });
    const told = await (await appliance.fetch(`/api/v1/desktops/${id}`)).json();
    t.equal(held.parse(told).holder?.kind, "human");
    await agent.call("clear_overlays");
  });

  await t.test("a stop hides what agents drew and lets them draw nothing until it is over", async (t) => {
    await agent.call("draw_overlay", { x: 150, y: 150, width: 200, height: 100, label: "Hidden" });
    await page.locator(".overlay").waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.locator(".overlay").waitFor({ state: "detached" });
    await t.rejects(agent.call("draw_overlay", { x: 1, y: 1, width: 9, height: 9 }), { code: "stopped" });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".overlay").waitFor();
    await agent.call("clear_overlays");
  });

  await t.test("a question of the agent is shown with its place, and A approves it", async (t) => {
    const before = probe.presses().length;
    const click = agent.call("click_at", { x: 300, y: 250, intent: "Open the menu" });
    const card = page.locator(".approval:not(.is-settled)");
    await card.waitFor();
    t.match(await card.innerText(), /Open the menu/);
    await card.locator("img").waitFor();
    t.equal(probe.presses().length, before, "nothing is done while nobody answered");
    await card.locator(".button-primary:enabled").waitFor();
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
    t.equal(await page.evaluate<string>("document.activeElement.tagName"), "TEXTAREA");
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
    await target.stop();
    await page.locator(".stage-card").waitFor();
    await page.locator(".stage.is-greyed").waitFor();
    t.ok(await page.locator(".stage-card").getByRole("button", { name: "Try now" }).isVisible());
    t.ok(await viewerShot(page), "the picture is still there");
  });

  t.same(complaints, [], "the browser complained of nothing: no script error, nothing against the policy");
}
