import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { overlapRects, type Rect } from "../../../src/framebuffer/rect.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// From words on the list of recordings to the moment and the place that show them.

const SIZE = { width: 800, height: 600 };
const rectSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
const hitsSchema = z.array(
  z.object({ at_ms: z.number(), type: z.string(), text: z.string(), box: rectSchema.nullable() }),
);
const startedSchema = z.object({ recording_id: z.string() });

function paintedMs(page: Page): Promise<number> {
  return page.evaluate<number>(`Number(document.querySelector(".stage").dataset.positionMs ?? -1)`);
}

/** The boxes around what was found, in pixels of the recorded desktop. */
async function boxes(page: Page): Promise<readonly Rect[]> {
  return await page.evaluate<Rect[]>(`[...document.querySelectorAll(".player-hit")].map(({ style }) => ({
    x: parseFloat(style.left) * ${SIZE.width} / 100, y: parseFloat(style.top) * ${SIZE.height} / 100,
    width: parseFloat(style.width) * ${SIZE.width} / 100, height: parseFloat(style.height) * ${SIZE.height} / 100,
  }))`);
}

t.test(
  "words lead from all recordings to their moment, marked in the picture",
  { timeout: 300_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool", "chromium"])) return;
    const display = await XDisplay.start(t, { geometry: `${SIZE.width}x${SIZE.height}` });
    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      env: { OC_RECORDING_TEXT: "on" },
    });
    const flag = (name: string): string => join(appliance.dataDir, name);
    const wait = (name: string): string => `while [ ! -e ${flag(name)} ]; do sleep 0.1; done`;
    await display.openTerminal(
      "words",
      "40x16+40+100",
      `printf '\\033[?25lEvening harbour\\n'; ${wait("second")}; printf 'Yellow lantern glows\\n'; ${wait("third")}; ` +
        `printf '\\033[2J\\033[8;6HAnother lantern\\n'; ${wait("fourth")}; printf '\\033[2JNothing remains\\n'; exec sleep 600`,
    );
    const agent = await appliance.agent({ token: appliance.agentToken });
    const { recording_id: id } = startedSchema.parse(await agent.call("start_recording"));
    const found = async (query: string) => {
      const answer = await appliance.fetch(
        `/api/v1/recordings/${id}/search?query=${encodeURIComponent(query)}`,
      );
      return hitsSchema.parse(await answer.json()).filter(({ type }) => type === "text");
    };
    const awaited = (query: string) =>
      until(`"${query}"`, async () => (await found(query)).length > 0, 90_000);
    await awaited("harbour");
    for (const [name, words] of [
      ["second", "lantern glows"],
      ["third", "another lantern"],
      ["fourth", "nothing remains"],
    ] as const) {
      writeFileSync(flag(name), "");
      await awaited(words);
    }
    await agent.call("stop_recording", { recording_id: id });
    const [first, second, ...others] = await found("lantern");
    t.same(others, []);
    const browser = await openBrowser(t);
    const { page, complaints } = await signIn(browser, appliance);
    const isMarked = (hit: typeof first) =>
      until("its box", async () => {
        const shown = await boxes(page);
        const { box } = hit ?? {};
        return shown.length === 1 && box != null && shown.every((one) => overlapRects(one, box));
      });

    await t.test("the list of recordings names the places, and leads to the first", async (t) => {
      await page.getByRole("link", { name: "Recordings" }).click();
      await page.getByLabel("Find recordings, and words in them").fill("lantern");
      const places = page.getByRole("region", { name: "Found in recordings" }).getByRole("link");
      await until("two places", async () => (await places.count()) === 2);
      await until("their pictures", () =>
        page.evaluate<boolean>(
          `[...document.querySelectorAll("img.found-picture")].every((one) => one.complete && one.naturalWidth > 0)`,
        ),
      );
      await looksWell(t, page, "found-words");
      await page.setViewportSize({ width: 390, height: 844 });
      await looksWell(t, page, "found-words");
      await page.setViewportSize({ width: 1440, height: 900 });
      await places.first().click();
      await until("its moment", async () => (await paintedMs(page)) === first?.at_ms);
      await isMarked(first);
      await until("both on the timeline", async () => (await page.locator(".timeline-hit").count()) === 2);
      t.equal(await page.getByLabel("Find in the recording").inputValue(), "lantern");
    });

    await t.test("keys and buttons go to the next and the previous place", async (t) => {
      await page.getByText("1 of 2 on the screen").waitFor();
      await page.keyboard.press("g");
      await until("the second", async () => (await paintedMs(page)) === second?.at_ms);
      await isMarked(second);
      await page.getByText("2 of 2 on the screen").waitFor();
      await page.keyboard.press("Shift+G");
      await until("the first", async () => (await paintedMs(page)) === first?.at_ms);
      await isMarked(first);
      await page.getByRole("button", { name: "Next place in the text" }).click();
      await until("the second", async () => (await paintedMs(page)) === second?.at_ms);
      await page.getByLabel("Find in the recording").press("Shift+Enter");
      await until("the first", async () => (await paintedMs(page)) === first?.at_ms);
      await isMarked(first);
      await looksWell(t, page, "text-hits");
      await page.setViewportSize({ width: 390, height: 844 });
      await looksWell(t, page, "text-hits");
      await page.setViewportSize({ width: 1440, height: 900 });
    });

    await t.test("where the words do not stand, nothing is marked", async (t) => {
      await page.getByLabel("Find in the recording").blur();
      await page.keyboard.press("End");
      await until("the end", async () => (await paintedMs(page)) > (second?.at_ms ?? 0));
      await until("no box", async () => (await boxes(page)).length === 0);
      await page.keyboard.press("Shift+G");
      await isMarked(second);
      await page.getByLabel("Find in the recording").fill("");
      await until("no box", async () => (await boxes(page)).length === 0);
      t.equal(await page.locator(".timeline-hit").count(), 0);
    });

    t.same(complaints, []);
  },
);
