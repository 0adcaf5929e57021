import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, canvasShot, decodePicture, openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf } from "../harness/xwd.ts";

const recordingSchema = z.object({ id: z.string(), duration_ms: z.number() });

/** Where the slider stands, ms. */
async function positionMs(page: Page): Promise<number> {
  return Number(await page.getByRole("slider").inputValue());
}

/** When the picture that is painted came up, ms; NaN before the first. */
function paintedMs(page: Page): Promise<number> {
  return page.evaluate<number>(`Number(document.querySelector("canvas").dataset.at)`);
}

t.test("a replay page plays offline, by hand and by keys", { timeout: 400_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-replay-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const started = await appliance.fetch("/api/v1/recordings", { desktop_id: "demo" });
  const { id } = recordingSchema.parse(await started.json());
  const lengthMs = async () =>
    recordingSchema.parse(await (await appliance.fetch(`/api/v1/recordings/${id}`)).json()).duration_ms;
  await agent.call("click_at", { x: 300, y: 300, intent: "Put the caret into the note" });
  const pausedMs = await lengthMs();
  // So long that enough of it is idle also where the desktop's clock goes on to the next minute meanwhile.
  await until("a pause", async () => (await lengthMs()) > pausedMs + 8000, 60_000);
  await agent.call("click_at", { x: 1135, y: 238, intent: "Switch the <clock> to 12 hours" });
  await until("an end", async () => (await lengthMs()) > pausedMs + 9500);
  const stopped = await appliance.fetch(`/api/v1/recordings/${id}/stop`, {});
  const durationMs = recordingSchema.parse(await stopped.json()).duration_ms;
  const plain = "overlays=0&pointer=0";
  const html = await (await appliance.fetch(`/api/v1/recordings/${id}/export.html?${plain}`)).text();
  const file = join(folder, "replay.html");
  writeFileSync(file, html);

  const browser = await openBrowser(t);
  const complaints: string[] = [];
  const open = async (hash: string, options: Parameters<typeof browser.newContext>[0] = {}) => {
    const context = await browser.newContext({ offline: true, ...options });
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`it asked for ${request.url()}`);
    });
    await page.goto(`file://${file}${hash}`);
    await until("a picture", async () => !Number.isNaN(await paintedMs(page)));
    return page;
  };
  const page = await open("");

  await t.test("its pictures are those of the recording, in every pixel", async (t) => {
    for (const ms of [Math.floor(durationMs), 0, 1500]) {
      await page.evaluate(`location.hash = "#t=${ms / 1000}"`);
      await until("the position", async () => (await positionMs(page)) === ms);
      // What is painted came up at or before that, and nothing else did in between.
      await until("its picture", () =>
        page.evaluate<boolean>(`(() => {
          const { frames } = JSON.parse(document.getElementById("data").textContent);
          const wanted = frames.findLast(({ at }) => at <= ${ms});
          return document.querySelector("canvas").dataset.at === String(wanted.at);
        })()`),
      );
      const seen = await canvasShot(page, "canvas");
      const answer = await appliance.fetch(
        `/api/v1/recordings/${id}/frame.png?at_ms=${await page.evaluate<number>(`(() => {
          const { frames } = JSON.parse(document.getElementById("data").textContent);
          const next = frames.find(({ at }) => at > ${ms});
          return next === undefined ? ${durationMs} : next.at - 1;
        })()`)}`,
      );
      const wanted = await decodePicture(new Uint8Array(await answer.arrayBuffer()));
      t.equal(seen && differenceOf(seen, wanted), null, `${ms} ms`);
    }
  });

  await t.test("keys and buttons step through the actions", async (t) => {
    await page.keyboard.press("Home");
    await until("the start", async () => (await positionMs(page)) === 0);
    const current = page.locator("li [aria-current]");
    await page.keyboard.press("n");
    await current.filter({ hasText: "Put the caret into the note" }).waitFor();
    await page.getByRole("button", { name: "Next action" }).click();
    await current.filter({ hasText: "Switch the <clock> to 12 hours" }).waitFor();
    t.match(await page.getByRole("slider").getAttribute("aria-valuetext"), / of 0:\d\d, after: Click left/);
    await page.keyboard.press("p");
    await current.filter({ hasText: "Put the caret into the note" }).waitFor();
    await page.keyboard.press(">");
    t.equal(await page.getByLabel("Speed").inputValue(), "2");
    await page.keyboard.press("<");
    t.equal(await page.locator(".lanes .action").count(), 2);
  });

  await t.test("it plays, and passes over what is idle", async (t) => {
    await page.keyboard.press("Home");
    await page.keyboard.press("<");
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    const startedAtMs = performance.now();
    // At half the speed: what was recorded on a busy machine takes longer than a locator waits.
    await page.getByRole("button", { name: "Play" }).waitFor({ timeout: 120_000 });
    const tookMs = performance.now() - startedAtMs;
    t.equal(await positionMs(page), Math.round(durationMs), "it stops at the end");
    t.comment(`${tookMs.toFixed(0)} ms for ${durationMs} ms`);
    const skipped = await page.evaluate<number>(`idle.reduce((sum, { at, until }) => sum + until - at, 0)`);
    t.ok(skipped > 3000, `${skipped} ms are idle`);
  });

  await t.test("a link leads to its moment, on a phone too, in both themes, without a fault", async (t) => {
    for (const colorScheme of ["dark", "light"] as const) {
      for (const width of [1280, 360]) {
        const visit = await open("#t=0:01.5", { colorScheme, viewport: { width, height: 740 } });
        t.equal(await positionMs(visit), 1500);
        t.same(await accessibilityFaults(visit), [], `${colorScheme} ${width}`);
        const excess = await visit.evaluate<number>(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        t.equal(excess, 0, `not wider than ${width}`);
        t.ok(await visit.locator("li").first().isVisible(), "what happened stands beside or below");
        await visit.context().close();
      }
    }
  });

  await t.test("who reads German reads it in German", async (t) => {
    const visit = await open("", { locale: "de-DE", viewport: { width: 360, height: 740 } });
    t.equal(await visit.locator("html").getAttribute("lang"), "de");
    await visit.getByRole("button", { name: "Nächste Aktion" }).click();
    const current = visit.locator("li [aria-current]");
    await current.filter({ hasText: "Klick links bei 300,300" }).waitFor();
    t.match(await current.textContent(), /“Put the caret into the note” · Bildschirm geändert · /);
    t.match(
      await visit.getByRole("slider", { name: "Stelle in der Aufnahme" }).getAttribute("aria-valuetext"),
      /^0:\d\d von 0:\d\d, nach: Klick links bei 300,300$/,
    );
    await visit.getByRole("img", { name: "Der aufgenommene Bildschirm von Demo desktop" }).waitFor();
    t.equal(await visit.getByLabel("Tempo").locator("option").first().textContent(), "0,25×");
    const said = await visit.evaluate<string[]>(`[...document.querySelectorAll("[title], [aria-label]")]
      .flatMap((one) => [one.title, one.getAttribute("aria-label") ?? ""])
      .concat([...document.querySelectorAll(".tools button")].map((one) => one.textContent))`);
    const english = /\b(?:play|pause|skip|idle|speed|previous|next|action|recorded|position|what|space)\b/i;
    t.same(
      said.filter((text) => english.test(text)),
      [],
      "no word is left",
    );
    t.same(await accessibilityFaults(visit), []);
    const folder = process.env["OC_SCREENSHOTS"];
    if (folder !== undefined) await visit.screenshot({ path: `${folder}/replay-page-german-360.png` });
    await visit.context().close();
  });

  t.same(complaints, [], "the browser complained of nothing, and nobody was asked for anything");
});
