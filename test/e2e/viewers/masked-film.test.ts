import type { Page } from "playwright-core";
import t from "tap";
import { FILM, MOVING_SCENES, openMoving } from "../../../bench/moving-scenes.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { maskSchema } from "../../../src/web/api/api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { type FilmStream, filmStreams, KEEP_STREAMS } from "./film-streams.ts";
import { onlyDesktop } from "./viewer-scenario.ts";

const MANY_MS = 120_000;
/** In the film, which is drawn at 300,160. */
const FIRST = rect(420, 240, 160, 96);
const SECOND = rect(520, 300, 160, 96);
const GREY = 0x40;
/** What H.264 changes of a plain grey, and how far beside an edge it blends. */
const OFF = 24;
const EDGE = 8;

/** In the page: when the canvas shows a place as a mask does for the first time. */
const GREY_AT = `async ([x, y, width, height]) => {
  const context = document.querySelector(".viewer-screen canvas").getContext("2d");
  for (;;) {
    await new Promise(requestAnimationFrame);
    const { data } = context.getImageData(x, y, width, height);
    if (data.every((value, i) => i % 4 === 3 || Math.abs(value - ${GREY}) <= ${OFF})) return performance.now();
  }
}`;

/** The share of a place's pixels that are no mask's; the place lies in the film. */
function openShare({ place, pictures }: FilmStream, nth: number, masked: Rect): number {
  const { rgba } = pictures[nth] ?? { rgba: new Uint8Array() };
  const inner = rect(masked.x + EDGE, masked.y + EDGE, masked.width - 2 * EDGE, masked.height - 2 * EDGE);
  let open = 0;
  for (let y = inner.y - place.y; y < inner.y - place.y + inner.height; y++) {
    for (let x = inner.x - place.x; x < inner.x - place.x + inner.width; x++) {
      const at = (y * place.width + x) * 4;
      if ([0, 1, 2].some((channel) => Math.abs((rgba[at + channel] ?? 0) - GREY) > OFF)) open++;
    }
  }
  return open / (inner.width * inner.height);
}

const pictures = (page: Page): Promise<number> => page.evaluate<number>("window.filmChunks.length");
const holds = ({ place }: FilmStream, { x, y, width, height }: Rect): boolean =>
  x >= place.x && y >= place.y && x + width <= place.x + place.width && y + height <= place.y + place.height;

t.test(
  "what a mask hides in the middle of a film is in none of its pictures",
  { timeout: 600_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "openbox", "chromium", "ffmpeg"])) return;
    const scene = MOVING_SCENES.find(({ name }) => name === FILM);
    if (scene === undefined) throw new Error("the bench has no film any more");
    const { display } = await openMoving(t, t.testdir(), scene);
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
    const id = await onlyDesktop(appliance);
    const made = await appliance.fetch("/api/v1/tokens", { name: "looker", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const { page, context } = await signIn(await openBrowser(t), { url: appliance.url, adminToken: token });
    await context.addInitScript(KEEP_STREAMS);
    await page.goto(`${appliance.url}/desktops/${id}`);
    const masks = `/api/v1/desktops/${id}/masks`;
    /** Returns its id, and when the page showed it. */
    const hide = async (place: Rect): Promise<{ mask: string; atMs: number }> => {
      const answer = await appliance.fetch(masks, { rect: place, audiences: ["viewer:viewer"] });
      const { id: mask } = maskSchema.parse(await answer.json());
      const { x, y, width, height } = place;
      const inner = [x + EDGE, y + EDGE, width - 2 * EDGE, height - 2 * EDGE];
      return { mask, atMs: await page.evaluate<number>(`(${GREY_AT})(${JSON.stringify(inner)})`) };
    };
    const more = async (count: number): Promise<void> => {
      const before = await pictures(page);
      await until(`${count} more pictures`, async () => (await pictures(page)) >= before + count, MANY_MS);
    };

    await more(12);
    const first = await hide(FIRST);
    await more(12);
    // It moves: the next place is hidden before the last one is shown.
    const second = await hide(SECOND);
    await appliance.fetch(`${masks}/${first.mask}`, undefined, { method: "DELETE" });
    await more(24);
    const streams = await filmStreams(page);
    t.ok(streams.length >= 3, `${streams.length} films: one with something else hidden begins anew`);
    const count = { before: 0, first: 0, second: 0 };
    for (const stream of streams) {
      for (const [nth, { atMs }] of stream.pictures.entries()) {
        if (atMs < first.atMs && holds(stream, FIRST) && openShare(stream, nth, FIRST) > 0.9) count.before++;
        if (atMs > first.atMs && atMs < second.atMs && holds(stream, FIRST)) {
          count.first++;
          if (openShare(stream, nth, FIRST) > 0) t.fail(`picture ${nth} shows what the first mask hides`);
        }
        if (atMs > second.atMs && holds(stream, SECOND)) {
          count.second++;
          if (openShare(stream, nth, SECOND) > 0) t.fail(`picture ${nth} shows what the second mask hides`);
        }
      }
    }
    t.ok(count.before >= 8, `${count.before} pictures showed the place before it was hidden`);
    t.ok(count.first >= 8, `${count.first} pictures had the first mask in them`);
    t.ok(count.second >= 12, `${count.second} pictures had the second mask in them`);
  },
);
