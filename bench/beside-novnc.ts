import type { Browser, Page } from "playwright-core";
import * as z from "zod";
import type { Rect } from "../src/framebuffer/rect.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { canvasShot, openBrowser } from "../test/e2e/harness/browser.ts";
import type { XDisplay } from "../test/e2e/harness/x-display.ts";
import { differenceOf } from "../test/e2e/harness/xwd.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { openBridge } from "./bridge.ts";
import { judged, type Line } from "./line.ts";
import { FILM, hold, MOVING_SCENES, type Moving, openMoving, SCREEN } from "./moving-scenes.ts";
import { agesOf, type DrawnClock, openClock } from "./picture-age.ts";
import { summary } from "./stopwatch.ts";

const CANVAS = ".viewer-screen canvas";
const ROUNDS = 3;
const FOR_MS = 5000;
const SHORT_MS = 300;

/** In each page, before its own scripts: counts the bytes of pictures as they come. Other sockets speak text. */
const COUNT_BYTES = `window.benchBytes = 0;
  window.WebSocket = new Proxy(WebSocket, {
    construct(target, args) {
      const socket = new target(...args);
      socket.addEventListener("message", ({ data }) => {
        if (data instanceof ArrayBuffer) window.benchBytes += data.byteLength;
      });
      return socket;
    },
  });`;

/** In the page, for so long: how many of its frames show another picture in a place than the one before, and the bytes. */
const WATCH = `async ({ place, forMs }) => {
  const context = document.querySelector("${CANVAS}").getContext("2d");
  const bytesBefore = window.benchBytes;
  const startedAtMs = performance.now();
  let [pictures, before] = [0, new Uint32Array()];
  while (performance.now() - startedAtMs < forMs) {
    await new Promise(requestAnimationFrame);
    const words = new Uint32Array(context.getImageData(...place).data.buffer);
    if (words.some((word, i) => word !== before[i])) pictures++;
    before = words;
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  return { pictures: pictures / seconds, bytes: (window.benchBytes - bytesBefore) / seconds };
}`;

interface Rates {
  /** A second, each. */
  readonly pictures: number;
  readonly bytes: number;
  /** Of what the canvas shows, at each millisecond. */
  readonly ages: readonly number[];
}

interface Side {
  readonly name: string;
  /** At rest it shows every pixel: JPEG is sent again. */
  readonly isExact: boolean;
  open(): Promise<Page>;
}

/**
 * NOVNC: what moves, as a person sees it in a browser: pictures a second, their bytes and their age, beside noVNC on a
 * plain bridge to the same server. In the end ours has to show what the display does, in every pixel.
 */
export async function benchBesideNoVnc(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  const browser = await openBrowser(owner);
  for (const scene of isShort ? MOVING_SCENES.slice(0, 1) : MOVING_SCENES) {
    const teardowns: (() => unknown)[] = [];
    const ofScene = { teardown: (call: () => unknown) => void teardowns.push(call) };
    try {
      const moving = await openMoving(ofScene, folder, scene);
      const { vncPort } = moving.display;
      const clock = await openClock(moving.display, moving.clockAt.x, moving.clockAt.y);
      const appliance = await Appliance.start(ofScene, { connect: [`vnc://127.0.0.1:${vncPort}`] });
      const bridge = await openBridge(ofScene, vncPort);
      const sides: readonly Side[] = [
        { name: "the appliance", isExact: true, open: () => ourPage(browser, appliance) },
        { name: "noVNC on a bridge", isExact: false, open: () => openPage(browser, bridge) },
      ];
      const asJpeg = scene.name === FILM ? await openJpeg(ofScene, vncPort) : [];
      const all = [...sides, ...asJpeg.map((appliance) => jpegSide(browser, appliance))];
      const rates: [Rates[], Rates[], Rates[]] = [[], [], []];
      for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
        for (const [i, side] of all.entries()) {
          rates[i]?.push(await watch(moving, clock, side, isShort ? SHORT_MS : FOR_MS));
        }
      }
      lines.push(...compare(scene.name, rates[0], rates[1]));
      if (asJpeg.length > 0) lines.push(...compareFilm(scene.name, rates[0], rates[2]));
    } finally {
      for (const teardown of teardowns.reverse()) await teardown();
    }
  }
  return lines;
}

function compare(scene: string, ours: readonly Rates[], theirs: readonly Rates[]): Line[] {
  const pair = { id: "NOVNC", peer: "noVNC on a plain WebSocket bridge" };
  const frameMs = (rates: readonly Rates[]): number => 1000 / median(rates.map(({ pictures }) => pictures));
  const kilobytes = (rates: readonly Rates[]): number => median(rates.map(({ bytes }) => bytes)) / 1000;
  return [
    judged({
      ...{ ...pair, metric: `${scene}: from picture to picture`, unit: "ms" },
      ...{ ours: frameMs(ours), theirs: frameMs(theirs), goal: { atMost: 1 } },
    }),
    judged({
      ...{ ...pair, metric: `${scene}: bytes a second`, unit: "KB" },
      ...{ ours: kilobytes(ours), theirs: kilobytes(theirs), goal: { atMost: 1 } },
    }),
    ...compareAges(scene, pair, ours, theirs),
  ];
}

function compareAges(
  scene: string,
  pair: Pick<Line, "id" | "peer">,
  ours: readonly Rates[],
  theirs: readonly Rates[],
): Line[] {
  const [our, their] = [ours, theirs].map((rates) => summary(rates.flatMap(({ ages }) => ages)));
  if (our === undefined || their === undefined) throw new Error("no ages");
  const metric = `${scene}: age of what is shown`;
  return [
    judged({
      ...{ ...pair, metric: `${metric}, p50`, unit: "ms" },
      ...{ ours: our.p50, theirs: their.p50, goal: { atMost: 1 } },
    }),
    judged({
      ...{ ...pair, metric: `${metric}, p95`, unit: "ms" },
      ...{ ours: our.p95, theirs: their.p95, goal: { atMost: 1 } },
    }),
  ];
}

/** The goal of H.264: a seventh of JPEG's bytes, of as many pictures. */
function compareFilm(scene: string, ours: readonly Rates[], theirs: readonly Rates[]): Line[] {
  const pair = { id: "NOVNC", peer: "the appliance with films as JPEG" };
  const kilobytes = (rates: readonly Rates[]): number =>
    median(rates.map(({ pictures, bytes }) => bytes / pictures)) / 1000;
  const frameMs = (rates: readonly Rates[]): number => 1000 / median(rates.map(({ pictures }) => pictures));
  return [
    judged({
      ...{ ...pair, metric: `${scene}: bytes a picture as H.264`, unit: "KB" },
      ...{ ours: kilobytes(ours), theirs: kilobytes(theirs), goal: { atMost: 1 / 7 } },
    }),
    judged({
      ...{ ...pair, metric: `${scene}: from picture to picture as H.264`, unit: "ms" },
      ...{ ours: frameMs(ours), theirs: frameMs(theirs), goal: { atMost: 1 } },
    }),
  ];
}

/** One that encodes no films. */
async function openJpeg(owner: Owner, vncPort: number): Promise<[Appliance]> {
  const env = { OC_FILM_ENCODER: "off" };
  return [await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${vncPort}`], env })];
}

/** The first appliance's pointer may be drawn into its picture. */
function jpegSide(browser: Browser, appliance: Appliance): Side {
  return {
    name: "the appliance with films as JPEG",
    isExact: false,
    open: () => ourPage(browser, appliance),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** A page of its own each time: hidden ones draw nothing. */
async function watch(
  { display, watched, pid }: Moving,
  clock: DrawnClock,
  side: Side,
  forMs: number,
): Promise<Rates> {
  const page = await side.open();
  try {
    // Its bytes and pictures are not counted.
    hold(clock.pid, true);
    await until("a picture in the canvas", () => hasPicture(page));
    await movePointer(page);
    await measure(page, watched, Math.min(forMs, 1500));
    const rates = await measure(page, watched, forMs);
    hold(clock.pid, false);
    // It began to be drawn again.
    await agesOf(page, CANVAS, clock, Math.min(forMs, 1500));
    const ages = await agesOf(page, CANVAS, clock, forMs);
    const { p50, p95 } = summary(ages);
    process.stderr.write(
      `${side.name}: ${rates.pictures.toFixed(1)} pictures, ${(rates.bytes / 1000).toFixed(0)} KB a second, age ${p50} ms, p95 ${p95}\n`,
    );
    for (const one of [pid, clock.pid]) hold(one, true);
    if (side.isExact) await expectPicture(page, display);
    return { ...rates, ages };
  } finally {
    for (const one of [pid, clock.pid]) hold(one, false);
    await page.context().close();
  }
}

/** Into a corner: TigerVNC draws the pointer into the picture of a viewer that never moved it. */
async function movePointer(page: Page): Promise<void> {
  const { x = 0, y = 0 } = (await page.locator(CANVAS).boundingBox()) ?? {};
  for (const inset of [9, 3]) await page.mouse.move(x + inset, y + inset);
}

async function expectPicture(page: Page, display: XDisplay): Promise<void> {
  let difference: string | null = "no canvas";
  await until("the display's picture in the canvas", async () => {
    const shot = await canvasShot(page, CANVAS);
    difference = shot === null ? "no canvas" : differenceOf(shot, await display.shot());
    return difference === null ? true : null;
  }).catch((cause: unknown) => {
    throw new Error(`NOVNC: the appliance shows another picture than the display: ${difference}`, { cause });
  });
}

function measure(page: Page, { x, y, width, height }: Rect, forMs: number): Promise<Omit<Rates, "ages">> {
  const argument = JSON.stringify({ place: [x, y, width, height], forMs });
  return page.evaluate<Omit<Rates, "ages">>(`(${WATCH})(${argument})`);
}

function hasPicture(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const canvas = document.querySelector("${CANVAS}");
    return canvas !== null && canvas.width === ${SCREEN.width} && window.benchBytes > 2000;
  })()`);
}

async function ourPage(browser: Browser, appliance: Appliance): Promise<Page> {
  const answer = await appliance.fetch("/api/v1/desktops");
  const [desktop] = z.tuple([z.object({ id: z.string() })]).parse(await answer.json());
  const page = await openPage(browser, `${appliance.url}/?token=${appliance.adminToken}`);
  await page.goto(`${appliance.url}/desktops/${desktop.id}`);
  return page;
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(COUNT_BYTES);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}
