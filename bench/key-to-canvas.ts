import type { Browser, Page } from "playwright-core";
import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { openBrowser } from "../test/e2e/harness/browser.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { openBridge } from "./bridge.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";

const SCREEN = { width: 1280, height: 720 };
const CANVAS = ".viewer-screen canvas";
/** Keys fit into the terminal's lines and never scroll it. */
const COLUMNS = 100;

/**
 * In the page: from the key's event to the first turn in which the canvas holds other pixels in the place. Asks
 * turn by turn, since what noVNC draws shows in its canvas at once, and the frame of a screen is another matter.
 */
const WATCH = `(place) => {
  const canvas = document.querySelector("${CANVAS}");
  const context = canvas.getContext("2d");
  const read = () => new Uint32Array(context.getImageData(...place).data.buffer);
  window.benchKey = new Promise((resolve) => {
    addEventListener("keydown", () => {
      const startedAt = performance.now();
      const before = read();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        if (read().some((word, i) => word !== before[i])) resolve(performance.now() - startedAt);
        else if (performance.now() - startedAt > 5000) resolve(-1);
        else port2.postMessage(0);
      };
      port2.postMessage(0);
    }, { capture: true, once: true });
  });
}`;

/** P11: a key press until other pixels stand in the viewer's canvas, beside noVNC on a plain bridge to the same server. */
export async function benchKeyToCanvas(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: `${SCREEN.width}x${SCREEN.height}` });
  await display.openWindowManager();
  const typewriter = await display.openTypewriter(folder, `${COLUMNS}x20+40+40`);
  const place = await display.placeOf(typewriter.window);
  await display.command("xdotool", "mousemove", `${place.x + 50}`, `${place.y + 200}`, "click", "1");
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const bridge = await openBridge(owner, display.vncPort);
  const browser = await openBrowser(owner);

  const pages = [await ourPage(browser, appliance), await rawPage(browser, bridge)] as const;
  // The terminal's first lines, where what is typed appears.
  const watched = [place.x, place.y, Math.min(place.width, SCREEN.width - place.x), 60];
  const times: [number[], number[]] = [[], []];
  const { runs, warmUps } = isShort ? { runs: 1, warmUps: 0 } : { runs: 80, warmUps: 3 };
  for (let run = -warmUps; run < runs; run++) {
    for (const [i, page] of pages.entries()) {
      const ms = await timeOfKey(page, watched);
      if (run >= 0) times[i]?.push(ms);
    }
  }
  const [ours, theirs] = [summary(times[0]), summary(times[1])];
  const pair = { id: "P11", unit: "ms", peer: "noVNC on a plain WebSocket bridge" };
  const metric = "key press until the canvas has it, through the appliance";
  return [
    judged({ ...pair, metric: `${metric}, p50`, ours: ours.p50, theirs: theirs.p50, goal: { plus: 5 } }),
    judged({ ...pair, metric: `${metric}, p95`, ours: ours.p95, theirs: theirs.p95, goal: { plus: 10 } }),
  ];
}

async function timeOfKey(page: Page, place: readonly number[]): Promise<number> {
  await page.bringToFront();
  // Once: moving the focus paints, and a key that comes meanwhile waits for that.
  await page.evaluate(
    `document.activeElement === document.body && document.querySelector("${CANVAS}").focus()`,
  );
  await page.evaluate(`(${WATCH})(${JSON.stringify(place)})`);
  await page.keyboard.press("k");
  const ms = await page.evaluate<number>("window.benchKey");
  if (ms < 0) throw new Error(`P11: ${page.url()} showed no key within 5 s`);
  return ms;
}

async function ourPage(browser: Browser, appliance: Appliance): Promise<Page> {
  const answer = await appliance.fetch("/api/v1/desktops");
  const [desktop] = z.tuple([z.object({ id: z.string() })]).parse(await answer.json());
  const page = await openPage(browser, `${appliance.url}/?token=${appliance.adminToken}`);
  await page.goto(`${appliance.url}/desktops/${desktop.id}`);
  await whenDrawn(page);
  return page;
}

async function rawPage(browser: Browser, url: string): Promise<Page> {
  const page = await openPage(browser, url);
  await whenDrawn(page);
  return page;
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Something stands in the canvas, at the desktop's own size. */
async function whenDrawn(page: Page): Promise<void> {
  const drawn = `(() => {
    const canvas = document.querySelector("${CANVAS}");
    if (canvas === null || canvas.width !== ${SCREEN.width}) return false;
    const { data } = canvas.getContext("2d").getImageData(0, 0, 400, 300);
    return data.some((value, i) => i % 4 < 3 && value > 0);
  })()`;
  await until("a picture in the canvas", () => page.evaluate<boolean>(drawn));
}
