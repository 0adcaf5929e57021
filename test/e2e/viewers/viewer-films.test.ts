import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { FILM, hold, MOVING_SCENES, openMoving } from "../../../bench/moving-scenes.ts";
import type { Point } from "../../../src/framebuffer/rect.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { onlyDesktop, partOf, viewerShot } from "./viewer-scenario.ts";

const MANY_MS = 120_000;

/** In the page, before its own scripts: counts pictures that WebCodecs decodes, and the bytes that come. */
const COUNT = `window.filmPictures = 0;
  window.benchBytes = 0;
  const decode = VideoDecoder.prototype.decode;
  VideoDecoder.prototype.decode = function (chunk) {
    window.filmPictures++;
    return decode.call(this, chunk);
  };
  window.WebSocket = new Proxy(WebSocket, {
    construct(target, args) {
      const socket = new target(...args);
      socket.addEventListener("message", ({ data }) => {
        if (data instanceof ArrayBuffer) window.benchBytes += data.byteLength;
      });
      return socket;
    },
  });`;

const filmPictures = (page: Page): Promise<number> => page.evaluate<number>("window.filmPictures");

/** Pids of the encoders of this process. */
function encodersOf(pid: number | undefined): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  return children.map(Number).filter((child) => nameOf(child) === "ffmpeg");
}

/** It may have ended meanwhile. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

/** Values of its middle. */
function coloursOf(shot: Shot, { x, y }: Point): number {
  return new Set(partOf(shot, x + 100, y - 100, 200, 100).rgba).size;
}

t.test("a film comes as H.264, and what stands still is exact", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "openbox", "chromium", "ffmpeg"])) return;
  const scene = MOVING_SCENES.find(({ name }) => name === FILM);
  if (scene === undefined) throw new Error("the bench has no film any more");
  const { display, pid, watched } = await openMoving(t, t.testdir(), scene);
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  const { page, context } = await signIn(browser, appliance);
  await context.addInitScript(COUNT);
  await page.goto(`${appliance.url}/desktops/${id}`);
  const { pid: server } = appliance.program;

  await until("pictures by WebCodecs", async () => (await filmPictures(page)) > 12, MANY_MS);
  t.equal(encodersOf(server).length, 1, "one process encodes it");
  // Its middle is what ffplay shows, not the green of a stream that was not decoded.
  const seen = await until("a canvas", () => viewerShot(page));
  t.ok(coloursOf(seen, watched) > 50, "many colours");

  /** Until a page shows what the display does, which stands still. */
  const showsDisplay = async (t: Test, one: Page, who: string): Promise<void> => {
    await one.bringToFront();
    let difference: string | null = "no canvas";
    await until(
      "the display's picture",
      async () => {
        const now = await viewerShot(one);
        difference = now === null ? "no canvas" : differenceOf(now, await display.shot());
        return difference === null;
      },
      MANY_MS,
    ).catch(() => undefined);
    t.equal(difference, null, who);
  };

  const late: Page[] = [];
  await t.test("two that join late get it from a key picture on, of one encoder", async (t) => {
    for (let nth = 0; nth < 2; nth++) {
      const other = await context.newPage();
      late.push(other);
      await other.goto(`${appliance.url}/desktops/${id}`);
      await other.bringToFront();
      await until("its pictures", async () => (await filmPictures(other)) > 4, MANY_MS);
      await until("one process for all", async () => encodersOf(server).length === 1, MANY_MS);
      const its = await until("a canvas", () => viewerShot(other));
      t.ok(coloursOf(its, watched) > 50, "and they are decoded");
    }
    await page.bringToFront();
  });

  await t.test(
    "a page that stood still, as a tab does that was put to sleep, goes on with the film",
    async (t) => {
      // Headless Chromium hides and freezes no tab; a debugger stops all of its scripts while the server sends.
      const cdp = await context.newCDPSession(page);
      const before = await until("a canvas", () => viewerShot(page));
      const paused = new Promise((resolve) => cdp.once("Debugger.paused", resolve));
      await cdp.send("Debugger.enable");
      await cdp.send("Debugger.pause");
      await paused;
      for (const other of late.slice(0, 1)) {
        const seen = await filmPictures(other);
        await until(
          "the film to go on elsewhere",
          async () => (await filmPictures(other)) > seen + 25,
          MANY_MS,
        );
      }
      await cdp.send("Debugger.disable");
      const decoded = await filmPictures(page);
      await until("pictures by WebCodecs", async () => (await filmPictures(page)) > decoded + 4, MANY_MS);
      const now = await until("a canvas", () => viewerShot(page));
      t.not(differenceOf(now, before), null, "another picture than before");
    },
  );

  const bare = await signIn(browser, appliance);
  await bare.context.addInitScript("delete window.VideoDecoder; delete window.EncodedVideoChunk;");
  await t.test("a browser without WebCodecs has the film all the same, and hears of no error", async (t) => {
    await bare.page.goto(`${appliance.url}/desktops/${id}`);
    t.equal(await bare.page.evaluate("typeof VideoDecoder"), "undefined");
    const before = await until("the film", async () => {
      const shot = await viewerShot(bare.page);
      return shot !== null && coloursOf(shot, watched) > 50 ? shot : null;
    });
    await until("another picture", async () => {
      const now = await viewerShot(bare.page);
      return now !== null && differenceOf(now, before) !== null;
    });
    t.same(await bare.page.getByRole("alert").allInnerTexts(), []);
    t.same(bare.complaints, []);
  });

  t.teardown(() => hold(pid, false));
  await t.test("at rest all of them show every pixel of the display, and no process runs", async (t) => {
    hold(pid, true);
    await showsDisplay(t, page, "who was there from the beginning");
    for (const other of late) await showsDisplay(t, other, "who joined late");
    await showsDisplay(t, bare.page, "without WebCodecs");
    await until("no encoder", async () => encodersOf(server).length === 0, MANY_MS);
    for (const other of late) await other.close();
    await bare.context.close();
  });

  await t.test("an encoder that is killed is no end of the film", async (t) => {
    await page.bringToFront();
    const decoded = await filmPictures(page);
    hold(pid, false);
    await until(
      "pictures again",
      async () => (await filmPictures(page)) > decoded && encodersOf(server).length > 0,
      MANY_MS,
    );
    for (const child of encodersOf(server)) process.kill(child, "SIGKILL");
    await until("no encoder", async () => encodersOf(server).length === 0, MANY_MS);
    const before = await until("a canvas", () => viewerShot(page));
    await until(
      "another picture",
      async () => {
        const now = await viewerShot(page);
        return now !== null && differenceOf(now, before) !== null;
      },
      MANY_MS,
    );
    hold(pid, true);
    await showsDisplay(t, page, "it goes on as JPEG, exact at rest");
  });
});
