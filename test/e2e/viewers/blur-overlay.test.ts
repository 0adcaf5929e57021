import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import type { Shot } from "../harness/xwd.ts";
import { onlyDesktop, partOf, viewerShot } from "./viewer-scenario.ts";

/** How much neighbours in a row differ, on average: letters and edges make it. */
function sharpnessOf({ width, height, rgba }: Shot): number {
  let sum = 0;
  for (let i = 1; i < width * height; i++) {
    if (i % width !== 0) sum += Math.abs((rgba[4 * i + 1] ?? 0) - (rgba[4 * i - 3] ?? 0));
  }
  return sum / (width * height);
}

t.test(
  "a blur is out of focus in the browser and on screenshots with overlays",
  { timeout: 180_000 },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const appliance = await Appliance.start(t, { mode: "autopilot" });
    const agent = await appliance.agent({ token: appliance.agentToken });
    const id = await onlyDesktop(appliance);
    const browser = await openBrowser(t);
    const { page } = await signIn(browser, appliance, { viewport: { width: 1440, height: 1000 } });
    await page.goto(`${appliance.url}/desktops/${id}`);
    await until("a picture", () => viewerShot(page));
    await page.getByRole("button", { name: "Actual size (1:1)" }).click();
    const place = { x: 150, y: 150, width: 300, height: 200 };
    const seen = async (): Promise<number> => {
      const frame = await page.locator(".viewer-frame").boundingBox();
      if (frame === null) throw new Error("the viewer has no frame");
      const clip = { ...place, x: frame.x + place.x, y: frame.y + place.y };
      return sharpnessOf(await decodePicture(await page.screenshot({ clip })));
    };
    const pictured = async (query: string): Promise<number> => {
      const answer = await appliance.fetch(`/api/v1/desktops/${id}/screenshot.png${query}`);
      const shot = await decodePicture(new Uint8Array(await answer.arrayBuffer()));
      return sharpnessOf(partOf(shot, place.x, place.y, place.width, place.height));
    };
    let last = 0;
    await until("the picture to be at its actual size", async () => {
      const before = last;
      await pause(300);
      last = await seen();
      return last === before;
    });
    const sharp = { browser: last, picture: await pictured("?overlays=1") };
    t.ok(sharp.picture > 1, "there is something to see");
    await agent.call("draw_overlay", { ...place, annotation_type: "blur", label: "Out of focus" });
    await page.locator('.overlay[data-kind="blur"]').waitFor();
    t.equal(await page.locator(".overlay-tag").innerText(), "Out of focus");
    await until("blurred in the browser", async () => (await seen()) < sharp.browser / 2);
    t.ok((await pictured("?overlays=1")) < sharp.picture / 2, "and on a screenshot with overlays");
    t.equal(await pictured(""), sharp.picture, "it hides nothing: without overlays all is there");
    await agent.call("clear_overlays");
    await until("sharp again", async () => (await seen()) === sharp.browser);
  },
);
