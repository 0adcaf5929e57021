import type { Browser, BrowserContext } from "playwright-core";
import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { openBrowser } from "../test/e2e/harness/browser.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Shot } from "../test/e2e/harness/xwd.ts";
import type { Owner } from "../test/support/program.ts";
import { openBridge } from "./bridge.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";

const SCREEN = { width: 1280, height: 720 };
const WITHIN_MS = 400;
/** From point to point of those that are compared. */
const STEP = 40;
/** JPEG has other colours beside letters. */
const TOLERANCE = 60;

/**
 * In the page, before its own scripts: when the canvas first had the desktop's colours at all points, in milliseconds
 * since the navigation began, and what came before that.
 */
const WATCH = `(points) => {
  const marks = {};
  const mark = (name) => (marks[name] ??= Math.round(performance.now()));
  window.WebSocket = new Proxy(WebSocket, {
    construct(target, args) {
      const socket = new target(...args);
      // Others of the app speak text.
      if (/\\/ws\\/(events|overlays)/.test(String(args[0]))) return socket;
      mark("socket asked for");
      socket.addEventListener("open", () => mark("open"));
      socket.addEventListener("message", () => mark("first bytes"));
      return socket;
    },
  });
  const isThere = () => {
    const canvas = document.querySelector(".viewer-screen canvas");
    if (canvas === null || canvas.width !== ${SCREEN.width} || canvas.height !== ${SCREEN.height}) return false;
    mark("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return points.every(([at, ...rgb]) => rgb.every((value, i) => Math.abs(data[at + i] - value) <= ${TOLERANCE}));
  };
  window.firstPicture = new Promise((resolve, reject) => {
    const look = () => {
      if (isThere()) resolve({ ms: performance.now(), marks });
      else if (performance.now() > 30_000) reject(new Error("the desktop's picture is not in the canvas"));
      else requestAnimationFrame(look);
    };
    look();
  });
}`;

const seenSchema = z.object({ ms: z.number(), marks: z.record(z.string(), z.number()) });

interface Side {
  readonly name: string;
  readonly url: string;
  /** Signed in where that is asked for, and nothing else kept. */
  open(): Promise<BrowserContext>;
}

/**
 * FIRST: from the navigation of who is signed in to the whole desktop in the viewer's canvas, beside noVNC on a plain
 * bridge to the same server: with a browser that never saw the page, and with one that did.
 */
export async function benchFirstPicture(owner: Owner, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: `${SCREEN.width}x${SCREEN.height}` });
  await display.command("xsetroot", "-solid", "#305880");
  await display.openTerminal("text", "100x40+120+60", "seq -w 1 2000 | tr '\\n' ' '; exec cat");
  const points = pointsOf(await display.shot());
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const bridge = await openBridge(owner, display.vncPort);
  const browser = await openBrowser(owner);
  const sides: readonly Side[] = [await ourSide(browser, appliance), bareSide(browser, bridge)];

  const cold: [number[], number[]] = [[], []];
  const warm: [number[], number[]] = [[], []];
  for (let run = isShort ? 0 : -1; run < (isShort ? 1 : 9); run++) {
    for (const [i, side] of sides.entries()) {
      const context = await side.open();
      await context.addInitScript(`(${WATCH})(${JSON.stringify(points)})`);
      const first = await visit(context, side, "first visit");
      const second = await visit(context, side, "again");
      await context.close();
      if (run < 0) continue;
      cold[i]?.push(first);
      warm[i]?.push(second);
    }
  }
  const pair = {
    id: "FIRST",
    unit: "ms",
    peer: "noVNC on a plain WebSocket bridge",
    goal: { within: WITHIN_MS },
  };
  return [
    judged({
      ...{ ...pair, metric: "navigation until the whole picture, a browser that was there before" },
      ...{ ours: summary(warm[0]).p50, theirs: summary(warm[1]).p50 },
    }),
    judged({
      ...{ ...pair, metric: "navigation until the whole picture, for the first time" },
      ...{ ours: summary(cold[0]).p50, theirs: summary(cold[1]).p50 },
    }),
  ];
}

async function visit(context: BrowserContext, side: Side, what: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(side.url);
  const { ms, marks } = seenSchema.parse(await page.evaluate("window.firstPicture"));
  const before = Object.entries(marks).map(([name, atMs]) => `${name} ${atMs}`);
  process.stderr.write(`${side.name}, ${what}: ${before.join(", ")}, picture ${Math.round(ms)} ms\n`);
  await page.close();
  return ms;
}

async function ourSide(browser: Browser, appliance: Appliance): Promise<Side> {
  const answer = await appliance.fetch("/api/v1/desktops");
  const [desktop] = z.tuple([z.object({ id: z.string() })]).parse(await answer.json());
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
  await page.getByRole("heading", { name: "Desktops", level: 1 }).waitFor();
  const storageState = await context.storageState();
  await context.close();
  return {
    name: "the appliance",
    url: `${appliance.url}/desktops/${desktop.id}`,
    open: () => browser.newContext({ storageState, viewport: { width: 1440, height: 900 } }),
  };
}

function bareSide(browser: Browser, url: string): Side {
  return {
    name: "noVNC on a bridge",
    url,
    open: () => browser.newContext({ viewport: { width: 1440, height: 900 } }),
  };
}

/** Where each lies in the bytes of a picture, and its colours. */
function pointsOf({ width, height, rgba }: Shot): number[][] {
  const points: number[][] = [];
  for (let y = STEP >> 1; y < height; y += STEP)
    for (let x = STEP >> 1; x < width; x += STEP) {
      const at = (y * width + x) * 4;
      points.push([at, ...rgba.subarray(at, at + 3)]);
    }
  return points;
}
