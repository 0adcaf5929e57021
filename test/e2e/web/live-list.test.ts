import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

async function boxOf(page: Page, selector: string): Promise<z.infer<typeof boxSchema>> {
  return boxSchema.parse(await page.locator(selector).first().boundingBox());
}

const PLACE = { x: 300, y: 210 };
/** Of the pictures, desktop pixels. */
const CROP = { width: 320, height: 180 };

t.test(
  "the list of actions has pictures, and outlasts a reload and a restart",
  { timeout: 600_000 },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const dir = mkdtempSync(join(tmpdir(), "oc-live-list-"));
    t.teardown(() => rmSync(dir, { recursive: true, force: true }));
    const start = (): Promise<Appliance> => Appliance.start(t, { args: ["--demo", "--data-dir", dir] });
    const first = await start();
    const id = await onlyDesktop(first);
    const browser = await openBrowser(t);
    const { page, complaints, context } = await signIn(browser, first);
    const open = async (page: Page, { url }: Appliance): Promise<void> => {
      await page.goto(`${url}/desktops/${id}`);
      await until("a picture", () => viewerShot(page));
      await page.locator(".viewer-panel").waitFor();
    };
    await open(page, first);
    const agent = await first.agent({ token: readFileSync(join(dir, "agent-token"), "utf8").trim() });
    await agent.call("click_at", { x: 40, y: 40, intent: "wake it up" });
    // Of what an agent does faster there are no pictures.
    await page.getByText("wake it up").waitFor();
    await page.waitForTimeout(200);
    await agent.call("click_at", { ...PLACE, intent: "open the menu" });
    const newest = page.locator(".action").first();
    await newest.getByText("open the menu").waitFor();

    await t.test("before and after, with a ring where it clicked", async (t) => {
      const loaded = `[...document.querySelectorAll(".action-picture img")].map((one) => one.naturalWidth)`;
      await until("both pictures", async () => {
        const widths = await page.evaluate<number[]>(loaded);
        return widths.length === 2 && widths.every((width) => width === CROP.width);
      });
      const ring = await boxOf(page, ".action-picture .approval-ring");
      const picture = await boxOf(page, ".action-picture img");
      t.equal(await page.locator(".action-picture .approval-ring").count(), 1, "on the first of them");
      // The place is in the middle of the picture.
      const scale = picture.width / CROP.width;
      t.ok(Math.abs(ring.x + ring.width / 2 - picture.x - 160.5 * scale) < 1, "from the left");
      t.ok(Math.abs(ring.y + ring.height / 2 - picture.y - 90.5 * scale) < 1, "from above");
      await looksWell(t, page, "live-list");
      const older = page.locator(".action").nth(1);
      t.equal(await older.locator("img").count(), 0, "those of older actions wait until they are asked for");
      await older.getByText("Before and after").click();
      await older.locator("img").first().waitFor();
    });

    await t.test("after a reload of the page", async () => {
      await open(page, first);
      await newest.getByAltText(/^Before/).waitFor();
      await page.getByText("wake it up").waitFor();
    });

    await t.test("what is hidden later is taken out of the pictures too", async (t) => {
      const rect = { x: PLACE.x - 20, y: PLACE.y - 20, width: 40, height: 40 };
      const made = await first.fetch(`/api/v1/desktops/${id}/masks`, { rect, audiences: ["viewer"] });
      t.equal(made.status, 201);
      await open(page, first);
      await newest.getByText("Not kept any more, or hidden since.").waitFor();
    });
    t.same(
      complaints.filter((line) => !/404/.test(line)),
      [],
    );
    await context.close();

    await t.test("after a restart of the server, from the audit log, in words alone", async (t) => {
      await agent.close();
      await first.program.stop();
      const second = await start();
      const visit = await signIn(browser, second);
      await open(visit.page, second);
      const list = visit.page.locator(".action");
      await list.first().getByText("open the menu").waitFor();
      t.match(await list.first().innerText(), /Click\b/);
      t.match(await list.nth(1).innerText(), /wake it up/);
      t.equal(await list.locator("img").count(), 0, "no picture was put on the disk");
      t.same(visit.complaints, []);
    });
  },
);
