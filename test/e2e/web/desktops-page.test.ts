import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { rest } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop } from "../viewers/viewer-scenario.ts";

const PASSWORD = "s3cret-8";

const names = (page: Page): Promise<readonly string[]> => page.locator(".tile h2").allInnerTexts();

/** The colour in the middle of a tile's picture; null before it is there. */
const MIDDLE = `(() => {
  const image = document.querySelector(".tile-picture img");
  if (!image?.naturalWidth) return null;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data];
})()`;

t.test("the page of all desktops", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const env = { OC_VNC_PASSWORD: PASSWORD };
  const target = await Appliance.start(t, { hasVnc: true, args: ["--demo"], env });
  const appliance = await Appliance.start(t);
  const id = await onlyDesktop(appliance);
  const add = async (name: string, port: number): Promise<void> => {
    const input = { protocol: "vnc", host: "127.0.0.1", password: PASSWORD };
    t.equal((await appliance.fetch("/api/v1/desktops", { ...input, port, name })).status, 201);
  };
  await add("Office / vm 2", 1);
  await add("Lab / bench", target.vncPort ?? 1);
  await add("Office / vm 1", 1);
  const browser = await openBrowser(t);
  const { page, complaints } = await signIn(browser, appliance);

  await t.test("desktops stand in the groups of their names, and are found by any word", async (t) => {
    await page.getByRole("heading", { name: "Office" }).waitFor();
    t.same(await names(page), ["Demo desktop", "bench", "vm 2", "vm 1"]);
    t.same(await page.locator(".tile-group > h2").allInnerTexts(), ["Lab", "Office"]);
    await looksWell(t, page, "desktop-groups");
    await page.keyboard.press("/");
    await page.keyboard.type("BENCH lab");
    await until("the one", async () => (await names(page)).length === 1);
    t.same(await names(page), ["bench"]);
    await page.keyboard.type(" nowhere");
    await page.getByText("No desktop has “BENCH lab nowhere” in its name, address or agents.").waitFor();
    await page.getByRole("searchbox").fill("");
  });

  await t.test("one that went says when it was last connected to", async (t) => {
    const tile = page.locator(".tile", { has: page.getByRole("heading", { name: "bench" }) });
    await tile.getByText("Live").waitFor();
    t.equal(await tile.getByText("Last connected").count(), 0);
    await target.program.stop();
    await tile.getByText(/^Last connected \d+ (s|min) ago$/).waitFor();
    const never = page.locator(".tile", { has: page.getByRole("heading", { name: "vm 1" }) });
    t.equal(await never.getByText("Last connected").count(), 0, "it never was");
  });

  await t.test("its small picture shows nothing that is hidden from who looks", async (t) => {
    const made = await appliance.fetch("/api/v1/tokens", { name: "Eve", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const rect = { x: 0, y: 0, width: 2000, height: 800 };
    const mask = await appliance.fetch(`/api/v1/desktops/${id}/masks`, {
      rect,
      audiences: ["viewer:viewer"],
    });
    const { id: maskId } = z.object({ id: z.string() }).parse(await mask.json());
    const shown = async (credential: string): Promise<unknown> => {
      const visit = await signIn(browser, { url: appliance.url, adminToken: credential });
      const colours = await until("a small picture", () => visit.page.evaluate<number[] | null>(MIDDLE));
      await visit.context.close();
      return colours;
    };
    const masked = await shown(token);
    t.not(JSON.stringify(masked), JSON.stringify(await shown(appliance.adminToken)), "one grey");
    await appliance.fetch(`/api/v1/desktops/${id}/masks/${maskId}`, undefined, { method: "DELETE" });
    t.equal((await rest(appliance, `/api/v1/desktops/${id}/masks`)).length, 0);
  });
  t.same(complaints, []);
});
