import type { Browser } from "playwright-core";
import { until } from "../../support/until.ts";
import type { Appliance } from "../harness/appliance.ts";
import { signIn } from "../harness/browser.ts";

/** What a browser showed of a moment, and how long it took from asking until it was on the canvas. */
export interface BrowserSeek {
  readonly atMs: number;
  readonly tookMs: number;
  /** Of the canvas, RGBA, hex. */
  readonly sha1: string;
}

/** Runs in the page: goes to a moment as a link does. */
const SEEK = `async (ms) => {
  const stage = document.querySelector(".stage");
  const isThere = () => stage.dataset.positionMs === String(ms);
  const startMs = performance.now();
  await new Promise((done) => {
    const observer = new MutationObserver(() => isThere() && (observer.disconnect(), done()));
    observer.observe(stage, { attributes: true });
    location.hash = "#t=" + (ms / 1000).toFixed(3);
    if (isThere()) done();
  });
  const tookMs = performance.now() - startMs;
  const canvas = document.querySelector(".player-canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", data));
  return { atMs: ms, tookMs, sha1: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}`;

/**
 * Seeks once to each of the moments, each in a browser context that has seen nothing of the recording but its first
 * picture and has no cache: cold; the page is at rest.
 */
export async function seekCold(
  browser: Browser,
  appliance: Appliance,
  recordingId: string,
  moments: readonly number[],
): Promise<{ readonly seeks: readonly BrowserSeek[]; readonly complaints: readonly string[] }> {
  const seeks: BrowserSeek[] = [];
  const first = await signIn(browser, appliance);
  const storageState = await first.context.storageState();
  await first.context.close();
  const complaints: string[] = [...first.complaints];
  for (const atMs of moments) {
    const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${appliance.url}/recordings/${recordingId}#t=0`);
    await until("the first picture", () =>
      page.evaluate<boolean>(`document.querySelector(".stage")?.dataset.positionMs === "0"`),
    );
    // What a page does once it is open, its browser's own start among it, is none of the seek: half a second without
    // network, as Playwright understands a page at rest.
    await page.waitForLoadState("networkidle");
    seeks.push(await page.evaluate<BrowserSeek>(`(${SEEK})(${atMs})`));
    await context.close();
  }
  return { seeks, complaints };
}
