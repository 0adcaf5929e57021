import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import t from "tap";
import { FILM, hold, MOVING_SCENES, openMoving } from "../../../bench/moving-scenes.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf } from "../harness/xwd.ts";
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

t.test("a film comes as H.264, and what stands still is exact", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "openbox", "chromium", "ffmpeg"])) return;
  const scene = MOVING_SCENES.find(({ name }) => name === FILM);
  if (scene === undefined) throw new Error("the bench has no film any more");
  const { display, pid, watched } = await openMoving(t, t.testdir(), scene);
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const id = await onlyDesktop(appliance);
  const { page, context } = await signIn(await openBrowser(t), appliance);
  await context.addInitScript(COUNT);
  await page.goto(`${appliance.url}/desktops/${id}`);
  const { pid: server } = appliance.program;

  await until("pictures by WebCodecs", async () => (await filmPictures(page)) > 12, MANY_MS);
  t.equal(encodersOf(server).length, 1, "one process encodes it");
  // Its middle is what ffplay shows, not the green of a stream that was not decoded.
  const seen = await until("a canvas", () => viewerShot(page));
  const middle = partOf(seen, watched.x + 100, watched.y - 100, 200, 100).rgba;
  t.ok(new Set(middle).size > 50, "many colours");

  await t.test("a second viewer gets it from a key picture on", async () => {
    const other = await context.newPage();
    await other.goto(`${appliance.url}/desktops/${id}`);
    await other.bringToFront();
    await until("its pictures", async () => (await filmPictures(other)) > 4, MANY_MS);
    await other.close();
    await page.bringToFront();
  });

  await t.test("an encoder that is killed is no end of the film", async (t) => {
    await until(
      "pictures again",
      async () => (await filmPictures(page)) > 0 && encodersOf(server).length > 0,
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
    t.pass("it goes on as JPEG");
  });

  await t.test("at rest every pixel is the display's, and no process runs", async (t) => {
    hold(pid, true);
    t.teardown(() => hold(pid, false));
    let difference: string | null = "no canvas";
    await until(
      "the display's picture",
      async () => {
        const now = await viewerShot(page);
        difference = now === null ? "no canvas" : differenceOf(now, await display.shot());
        return difference === null;
      },
      MANY_MS,
    ).catch(() => t.fail(`${difference}`));
    await until("no encoder", async () => encodersOf(server).length === 0, MANY_MS);
  });
});
