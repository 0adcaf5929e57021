import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import {
  accessibilityFaults,
  canvasShot,
  decodePicture,
  looksWell,
  openBrowser,
  signIn,
} from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf } from "../harness/xwd.ts";

const recordingSchema = z.object({ id: z.string(), duration_ms: z.number() });

/** Which moment is painted, ms; -1 before the first. */
function paintedMs(page: Page): Promise<number> {
  return page.evaluate<number>(`Number(document.querySelector(".stage")?.dataset.positionMs ?? -1)`);
}

let visits = 0;

async function goTo(page: Page, address: string, ms: number): Promise<void> {
  // Numbered: going where the address leads already is no change of it.
  visits += 1;
  await page.goto(`${address}#t=${ms / 1000}&visit=${visits}`);
  await until(`the picture of ${ms}`, async () => (await paintedMs(page)) === ms);
}

/** Records two clicks with a pause between them in which nothing happens. */
async function record(appliance: Appliance): Promise<z.infer<typeof recordingSchema>> {
  const agent = await appliance.agent({ token: appliance.agentToken });
  const started = await appliance.fetch("/api/v1/recordings", { desktop_id: "demo" });
  const { id } = recordingSchema.parse(await started.json());
  const lengthMs = async () =>
    recordingSchema.parse(await (await appliance.fetch(`/api/v1/recordings/${id}`)).json()).duration_ms;
  await agent.call("click_at", { x: 300, y: 300, intent: "Put the caret into the note" });
  await agent.call("draw_overlay", { x: 82, y: 183, width: 606, height: 256, label: "The note" });
  const pausedMs = await lengthMs();
  await until("a pause", async () => (await lengthMs()) > pausedMs + 7000, 30_000);
  await agent.call("click_at", { x: 1135, y: 238, intent: "Switch the clock to 12 hours" });
  const actedMs = await lengthMs();
  await until("an end", async () => (await lengthMs()) > actedMs + 1500);
  const stopped = await appliance.fetch(`/api/v1/recordings/${id}/stop`, {});
  return recordingSchema.parse(await stopped.json());
}

t.test("the player does what people know from players", { timeout: 240_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const { id, duration_ms } = await record(appliance);
  const browser = await openBrowser(t);
  const { page, context, complaints } = await signIn(browser, appliance);
  const address = `${appliance.url}/recordings/${id}`;
  const slider = page.getByRole("slider", { name: "Position in the recording" });
  const play = page.getByRole("button", { name: "Play", exact: true });
  const pause = page.getByRole("button", { name: "Pause" });
  const current = page.locator(".player-list li.is-current");

  await t.test("the hand on the timeline sees the picture of where it is", async (t) => {
    await goTo(page, address, 0);
    // Slowly: however busy the computer is, what plays does not end before the test has looked at it.
    await page.keyboard.press("<");
    await page.keyboard.press("<");
    t.equal(await page.getByLabel("Speed").inputValue(), "0.25");
    const track = await slider.boundingBox();
    if (!track) throw new Error("there is no timeline");
    const shown = page.locator(".timeline-thumbnail");
    for (const share of [0.1, 0.5, 0.97]) {
      const ms = share * duration_ms;
      await page.mouse.move(track.x + track.width * share, track.y + 40);
      await until("its picture", async () => {
        const atMs = Number(await shown.getAttribute("data-at-ms"));
        return Math.abs(ms - atMs) <= 300;
      });
      const atMs = Number(await shown.getAttribute("data-at-ms"));
      const seen = await canvasShot(page, ".timeline-thumbnail");
      const answer = await appliance.fetch(
        `/api/v1/recordings/${id}/frame.webp?at_ms=${atMs}&max_width=${seen?.width}`,
      );
      const wanted = await decodePicture(new Uint8Array(await answer.arrayBuffer()));
      // Two decoders of one lossy file may round otherwise; another picture is far away.
      t.ok(seen !== null && distance(seen.rgba, wanted.rgba) < 1, `the picture of ${atMs}`);
    }
    await page.mouse.move(track.x + 10, track.y - 200);
    await page.locator(".timeline-preview").waitFor({ state: "detached" });
  });

  await t.test("what is idle is shown as such, and passed over", async (t) => {
    await goTo(page, address, 0);
    await page.locator(".skipped").first().waitFor();
    await page.keyboard.press("i");
    await page.locator(".skipped").first().waitFor({ state: "detached" });
    await page.keyboard.press("i");
    await page.locator(".skipped").first().waitFor();
    await page.keyboard.press(" ");
    await page.locator(".player-skipped", { hasText: /Skipped \d/ }).waitFor();
    await until("what is beyond the pause", async () => (await paintedMs(page)) > 5000);
    const afterMs = await paintedMs(page);
    await page.keyboard.press(" ");
    await play.waitFor();
    t.ok(afterMs < duration_ms, "what came after the pause is played");
  });

  await t.test("a click on the picture plays and stops, a double one fills the screen", async () => {
    await goTo(page, address, 0);
    const stage = page.locator(".stage");
    await stage.click();
    await pause.waitFor();
    await stage.click();
    await play.waitFor();
    await stage.dblclick();
    await page.locator(".player:fullscreen").waitFor();
    await page.locator(".player-list").waitFor({ state: "hidden" });
    await page.keyboard.press("f");
    await page.locator(".player:not(:fullscreen)").waitFor();
    await page.locator(".player-list").waitFor();
  });

  await t.test("in full screen the controls step back while nobody moves", async (t) => {
    await goTo(page, address, 0);
    await page.keyboard.press("f");
    await page.locator(".player:fullscreen").waitFor();
    await page.keyboard.press("i");
    await page.keyboard.press(" ");
    await page.locator(".player.is-quiet").waitFor();
    const opacity = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(".player-foot")).opacity`);
    t.equal(await opacity(), "0");
    await page.mouse.move(300, 300);
    await page.mouse.move(310, 310);
    await until("the controls", async () => (await opacity()) === "1");
    await page.keyboard.press(" ");
    await page.keyboard.press("i");
    await page.keyboard.press("f");
    await page.locator(".player:not(:fullscreen)").waitFor();
  });

  await t.test("a screen reader hears where it is, and keys of a slider move it", async (t) => {
    await goTo(page, address, 0);
    t.match(await slider.getAttribute("aria-valuetext"), /^0 seconds of \d+ seconds/);
    await slider.focus();
    await page.keyboard.press("ArrowUp");
    await until("5 seconds", async () => (await paintedMs(page)) === 5000);
    t.match(await slider.getAttribute("aria-valuetext"), /^5 seconds of \d+ seconds, after: Click left/);
    t.equal(await slider.getAttribute("aria-valuenow"), "5");
    await page.keyboard.press("ArrowDown");
    await until("the start", async () => (await paintedMs(page)) === 0);
    await page.keyboard.press("PageUp");
    await until("the end", async () => (await paintedMs(page)) === duration_ms);
    await page.keyboard.press("Home");
    await until("the start again", async () => (await paintedMs(page)) === 0);
    await page.keyboard.press("n");
    await page
      .locator(".player-said", { hasText: /Click left.*, action 1 of 2/ })
      .waitFor({ state: "attached" });
    await page.keyboard.press("n");
    await page.locator(".player-said", { hasText: /action 2 of 2/ }).waitFor({ state: "attached" });
    await page.keyboard.press("n");
    await page.getByText("There is no later one").waitFor();
  });

  await t.test("each action leads to its picture before and after", async (t) => {
    await goTo(page, address, 0);
    await page.keyboard.press("n");
    await current.filter({ hasText: "Put the caret" }).waitFor();
    const atMs = await paintedMs(page);
    await current.getByRole("button", { name: /^After/ }).click();
    await until("the picture after", async () => (await paintedMs(page)) > atMs);
    await current.getByRole("button", { name: /^Before/ }).click();
    await until("the picture before", async () => (await paintedMs(page)) === atMs);
    t.equal(await current.locator("img").count(), 2);
    const ring = await current.locator(".approval-ring").boundingBox();
    const picture = await current.locator("img").first().boundingBox();
    if (!ring || !picture) throw new Error("no ring on the picture before");
    t.equal(await current.locator(".approval-ring").count(), 1, "on the first of them");
    const part = new URL((await current.locator("img").first().getAttribute("src")) ?? "", page.url())
      .searchParams;
    const [x, y, width] = ["x", "y", "width"].map((name) => Number(part.get(name)));
    const scale = picture.width / (width ?? 0);
    t.ok(Math.abs(ring.x + ring.width / 2 - picture.x - (300.5 - (x ?? 0)) * scale) < 2, "from the left");
    t.ok(Math.abs(ring.y + ring.height / 2 - picture.y - (300.5 - (y ?? 0)) * scale) < 2, "from above");
    await looksWell(t, page, "player-before-after");
  });

  await t.test("the list is one stop of the Tab key, and arrows go through it", async (t) => {
    await goTo(page, address, duration_ms);
    const rows = page.locator(".player-row");
    t.equal(await page.locator(".player-row[tabindex='0']").count(), 1);
    await rows.last().focus();
    await page.keyboard.press("ArrowUp");
    const focused = await page.evaluate<number>(
      `[...document.querySelectorAll(".player-row")].indexOf(document.activeElement)`,
    );
    t.equal(focused, (await rows.count()) - 2);
    await page.keyboard.press("Enter");
    await until("its moment", async () => (await paintedMs(page)) < duration_ms);
  });

  await t.test("the address follows a player that stands still", async (t) => {
    await goTo(page, address, 0);
    await page.keyboard.press("n");
    const atMs = await paintedMs(page);
    await until("the address", () => page.evaluate<boolean>(`!location.hash.includes("visit")`));
    const link = page.url();
    const other = await context.newPage();
    await other.goto(link);
    await until("the same moment", async () => (await paintedMs(other)) === Math.round(atMs));
    const shots = await Promise.all([page, other].map((one) => canvasShot(one, ".player-canvas")));
    const [mine, theirs] = shots;
    t.ok(mine && theirs && differenceOf(mine, theirs) === null, "the same picture");
    await other.close();
  });

  await t.test("it is named, written about and marked afterwards", async (t) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await goTo(page, address, 2000);
    await page.getByRole("button", { name: "Name and notes" }).click();
    await looksWell(t, page, "recording-notes");
    const note = page.getByRole("dialog", { name: "Name and notes" });
    await note.getByLabel("Name", { exact: true }).fill("The clock of the demo");
    await note.getByLabel("Notes").fill("It changes at 0:08.\nAsk Ann.");
    await page.keyboard.press("Tab");
    await note.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The clock of the demo" }).waitFor();
    await page.getByText("Ask Ann.").waitFor();
    await page.keyboard.press("m");
    const marker = page.getByRole("dialog", { name: "Mark 0:02.0" });
    await marker.getByLabel("Name of the marker").fill("Before the change");
    await page.keyboard.press("Enter");
    await marker.waitFor({ state: "detached" });
    await page.keyboard.press("End");
    await page.keyboard.press("[");
    const row = page.locator(".player-row", { hasText: "Before the change" });
    const told = page.locator(".player-row", { hasText: "Mode autopilot" }).first();
    t.not(
      await told.locator("svg").innerHTML(),
      await row.locator("svg").innerHTML(),
      "what the desktop tells of itself is no bookmark",
    );
    await row.waitFor();
    await row.click();
    await until("the moment that was marked", async () => (await paintedMs(page)) === 2000);
    await looksWell(t, page, "recording-marked");
    await page.goto(`${appliance.url}/recordings`);
    await page.getByRole("link", { name: "The clock of the demo" }).waitFor();
    await looksWell(t, page, "recording-named");
    const seal = await appliance.fetch(`/api/v1/recordings/${id}/verify`, {});
    t.match(await seal.json(), { state: "sealed", problem: null }, "what was recorded is as it was");
    await goTo(page, address, 2000);
    await row.click();
    await page.getByRole("button", { name: "Remove this marker" }).click();
    await row.waitFor({ state: "detached" });
  });

  await t.test("the time of day is shown to who asks for it", async (t) => {
    const time = page.locator(".player-time");
    t.match(await time.innerText(), /^0:\d\d\.\d \/ 0:\d\d$/);
    await time.click();
    t.match(await time.innerText(), /^\d{1,2}:\d\d:\d\d/);
    await page.keyboard.press(" ");
    await pause.waitFor();
    await page.keyboard.press(" ");
    await play.waitFor();
    await time.click();
    t.match(await time.innerText(), / \/ 0:\d\d$/, "a click leaves the Space key to the player");
  });

  await t.test("nothing moves by itself for who wants no motion", async (t) => {
    const calm = await signIn(browser, appliance, { reducedMotion: "reduce" });
    await goTo(calm.page, address, 1000);
    await calm.page.keyboard.press("n");
    const moving = await calm.page.evaluate<number>(`document.getAnimations().length`);
    t.equal(moving, 0);
    await calm.context.close();
  });

  await t.test("who stops a recording is led to it", async () => {
    await page.goto(`${appliance.url}/desktops/demo`);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByRole("button", { name: "Stop recording" }).click();
    await page.getByRole("link", { name: "Play it" }).click();
    await page.waitForURL("**/recordings/*");
    await page.locator(".viewer-bar", { hasText: "Sealed" }).waitFor();
  });

  await t.test("no page of it fails axe: help, export, a recording that is not there", async (t) => {
    await goTo(page, address, 1000);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    t.same(await accessibilityFaults(page), [], "help");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("dialog", { name: /^Export/ }).waitFor();
    t.same(await accessibilityFaults(page), [], "export");
    const lost = await signIn(browser, appliance);
    await lost.page.goto(`${appliance.url}/recordings/20200101T000000Z-00000000`);
    await lost.page.getByText("The recording cannot be shown").waitFor();
    await lost.page.getByRole("button", { name: "Copy details" }).waitFor();
    t.same(await accessibilityFaults(lost.page), [], "nothing there");
    await lost.context.close();
  });

  t.same(complaints, [], "the browser complained of nothing");
});

/** How far two pictures lie apart, a channel, on average, of 255. */
function distance(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return 255;
  return b.reduce((sum, value, i) => sum + Math.abs(value - (a[i] ?? 0)), 0) / b.length;
}
