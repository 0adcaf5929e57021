import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, canvasShot, looksWell, openBrowser, signIn } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { startTarget } from "../targets/target.ts";

const started = z.object({ recording_id: z.string() });
const summary = z.object({ duration_ms: z.number(), state: z.string() });

/** What the player has painted. */
async function playerShot(page: Page): Promise<Shot> {
  const shot = await canvasShot(page, ".player-canvas");
  if (shot === null) throw new Error("the player has no canvas");
  return shot;
}

/** Which moment is painted, ms; -1 before the first. */
function paintedMs(page: Page): Promise<number> {
  return page.evaluate<number>(`Number(document.querySelector(".stage").dataset.positionMs ?? -1)`);
}

let seeks = 0;

/** Goes to a moment by the address, as a link does, and waits until it is painted. */
async function seek(page: Page, ms: number): Promise<void> {
  // Numbered: going where the address leads already is no change of it.
  seeks += 1;
  await page.evaluate(`location.hash = "#t=${(ms / 1000).toFixed(3)}&seek=${seeks}"`);
  await until(`the picture of ${ms}`, async () => (await paintedMs(page)) === ms);
}

async function startRecording(agent: Agent): Promise<string> {
  return started.parse(await agent.call("start_recording")).recording_id;
}

async function stopRecording(agent: Agent, recording_id: string): Promise<number> {
  const stopped = summary.parse(await agent.call("stop_recording", { recording_id }));
  if (stopped.state !== "sealed") throw new Error(`the recording is ${stopped.state}, expected sealed`);
  return stopped.duration_ms;
}

/** Runs in the page: how long it takes from asking for a moment until it is painted, ms. */
const SEEK = `async (ms) => {
  const stage = document.querySelector(".stage");
  const startMs = performance.now();
  location.hash = "#t=" + (ms / 1000).toFixed(3) + "&seek=cost";
  while (stage.dataset.positionMs !== String(ms)) await new Promise((done) => requestAnimationFrame(done));
  return performance.now() - startMs;
}`;

/** Answers every question with yes until the task is done. */
async function approving<Result>(appliance: Appliance, task: Promise<Result>): Promise<Result> {
  let isDone = false;
  const settled = task.finally(() => {
    isDone = true;
  });
  const pending = z.array(z.object({ id: z.string() }));
  await until("an answer", async () => {
    const questions = pending.parse(await (await appliance.fetch("/api/v1/approvals")).json());
    for (const { id } of questions) await appliance.fetch(`/api/v1/approvals/${id}`, { decision: "approve" });
    return isDone;
  });
  return settled;
}

t.test("a person records, rewinds what still runs, and replays it", { timeout: 240_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, {
    mode: "assist",
    args: ["--demo"],
    env: { OC_APPROVAL_ARMING_MS: "0" },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const browser = await openBrowser(t);
  const { page, complaints } = await signIn(browser, appliance);
  const act = (name: string, args: Record<string, unknown>) => approving(appliance, agent.call(name, args));
  let recordingId = "";

  await t.test("recordings teach how to make one while there is none", async () => {
    await page.getByRole("link", { name: "Recordings" }).click();
    await page.getByText("No recordings yet.").waitFor();
  });

  await t.test("Record in a desktop shows everybody that it is recorded", async (t) => {
    await page.goto(`${appliance.url}/desktops/demo`);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    const sign = page.locator(".recording-sign");
    await sign.waitFor();
    const [, id] = /recordings\/([^/]+)$/.exec((await sign.getAttribute("href")) ?? "") ?? [];
    recordingId = id ?? "";
    t.match(recordingId, /^[\w-]+$/);
  });

  await t.test("what runs is followed at its end, rewound, and caught up with", async (t) => {
    await act("click_at", { x: 300, y: 300, intent: "Put the caret into the note" });
    await act("type_text", { text: "All tests pass.", intent: "Write the note" });
    await agent.call("draw_overlay", { x: 82, y: 183, width: 606, height: 256, label: "The note" });
    await page.locator(".recording-sign").click();
    const live = page.getByRole("button", { name: /^Live/ });
    await live.and(page.locator("[aria-pressed=true]")).waitFor();
    // All of it is recorded: what is live now is later than the overlay.
    await page.locator(".overlay", { hasText: "The note" }).waitFor();
    await until("more than what is rewound", async () => (await paintedMs(page)) > 4000);
    const beforeMs = await paintedMs(page);
    await page.keyboard.press("ArrowLeft");
    await live.and(page.locator("[aria-pressed=false]")).waitFor();
    await until("an earlier picture", async () => (await paintedMs(page)) < beforeMs);
    t.ok(await page.getByRole("button", { name: "Pause" }).isVisible(), "it plays on from there");
    await page.keyboard.press("End");
    await live.and(page.locator("[aria-pressed=true]")).waitFor();
    await until("the present again", async () => (await paintedMs(page)) > beforeMs);
    await page.keyboard.press("m");
    await page.locator(".player-row", { hasText: "Marker" }).first().waitFor();
    await act("click_at", { x: 1108, y: 504, intent: "Save the note" });
    await page.locator(".player-row", { hasText: "Save the note" }).first().waitFor();
  });

  await t.test("an agent does not end what a person began", async (t) => {
    await t.rejects(agent.call("stop_recording", { recording_id: recordingId }), { code: "not_found" });
    const answer = await appliance.fetch(`/api/v1/recordings/${recordingId}/stop`, {});
    t.match(await answer.json(), { state: "sealed", counts: { actions: 3, approvals: 3 } });
    await page.locator(".viewer-bar", { hasText: "Sealed" }).waitFor();
  });

  await t.test("actions are stepped through, each with its picture before and after", async (t) => {
    // A step pauses, whether it played or not.
    await page.keyboard.press(",");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await page.keyboard.press("Home");
    await until("the beginning", async () => (await paintedMs(page)) === 0);
    const current = page.locator(".player-list li.is-current");
    for (const intent of ["Put the caret into the note", "Write the note", "Save the note"]) {
      const beforeMs = await paintedMs(page);
      await page.keyboard.press("n");
      await until("its picture", async () => (await paintedMs(page)) > beforeMs);
      await current.filter({ hasText: intent }).waitFor();
      t.match(await current.innerText(), /Approved by .+ after \d/, "asked and done stand in one row");
      for (const picture of await current.locator("img").all()) {
        await until("the picture", () =>
          picture.evaluate((image: { complete: boolean; naturalWidth: number }) => {
            return image.complete && image.naturalWidth > 0;
          }),
        );
      }
      t.equal(await current.locator("img").count(), 2);
    }
    t.equal(await page.locator(".player-row", { hasText: "Asked" }).count(), 0, "and in no other");
    await page.keyboard.press("p");
    await current.filter({ hasText: "Write the note" }).waitFor();
  });

  await t.test("frames are stepped through one change at a time", async (t) => {
    await seek(page, 0);
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      const beforeMs = await paintedMs(page);
      await page.keyboard.press(".");
      await until("the next frame", async () => (await paintedMs(page)) > beforeMs);
      seen.push(await paintedMs(page));
    }
    for (const ms of seen.slice(0, -1).reverse()) {
      await page.keyboard.press(",");
      await until(`the frame of ${ms}`, async () => (await paintedMs(page)) === ms);
    }
    t.equal(await paintedMs(page), seen[0]);
  });

  await t.test("overlays come and go with the time, and by a key", async (t) => {
    await seek(page, 0);
    await page.locator(".overlay").waitFor({ state: "detached" });
    await page.keyboard.press("End");
    await page.locator(".overlay", { hasText: "The note" }).waitFor();
    await page.keyboard.press("o");
    await page.locator(".overlay-layer[hidden]").waitFor({ state: "attached" });
    t.notOk(await page.locator(".overlay-tag").isVisible());
    await page.keyboard.press("o");
    await page.locator(".overlay-tag").waitFor();
  });

  await t.test("it plays, faster, and stops at the end", async (t) => {
    await page.keyboard.press("Home");
    await page.keyboard.press(">");
    await page.keyboard.press(">");
    t.equal(await page.getByLabel("Speed").inputValue(), "4");
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const [at, , length] = (await page.locator(".player-time").innerText()).split(" ");
    t.equal(at?.replace(/\.\d$/, ""), length, "the end");
  });

  await t.test("the hand scrubs with a picture of where it is, and a search finds actions", async (t) => {
    const track = await page.locator(".timeline-track").boundingBox();
    if (!track) throw new Error("there is no timeline");
    await page.mouse.move(track.x + track.width / 2, track.y + 10);
    await page.locator(".timeline-preview .timeline-thumbnail[data-at-ms]").waitFor();
    await page.mouse.click(track.x + track.width / 2, track.y + 10);
    const valueNow = Number(await page.getByRole("slider").getAttribute("aria-valuenow"));
    const valueMax = Number(await page.getByRole("slider").getAttribute("aria-valuemax"));
    t.ok(Math.abs(valueNow - valueMax / 2) <= 1, `${valueNow} is half of ${valueMax}`);
    await page.keyboard.press("/");
    await page.keyboard.type("save note");
    await until("what was found", async () => (await page.locator(".player-row").count()) === 1);
    await page.keyboard.press("Escape");
  });

  await t.test("the list verifies, exports and deletes", async (t) => {
    await page.goto(`${appliance.url}/recordings`);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("button", { name: "Verified" }).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /Replay page/ }).click(),
    ]);
    t.match(download.suggestedFilename(), /^Demo desktop .*\.html$/);
    const path = t.testdir();
    await download.saveAs(`${path}/replay.html`);
    const offline = await browser.newContext({ offline: true });
    const replay = await offline.newPage();
    await replay.goto(`file://${path}/replay.html`);
    await replay.keyboard.press("End");
    await until("the replay's first picture", () =>
      replay.evaluate<boolean>(`document.querySelector("canvas").width > 1000`),
    );
    t.equal(await replay.locator(".lanes .action").count(), 3, "the actions are in it");
    t.equal(await replay.locator(".lanes .approval").count(), 3);
    await offline.close();
  });

  await t.test("a recording is looked at as a desktop, from the moment on that was shown", async (t) => {
    await page.goto(`${appliance.url}/recordings/${recordingId}#t=2`);
    await until("a picture", async () => (await paintedMs(page)) === 2000);
    // Longer than the player waits before it writes its time into the address.
    await page.route("**/*.js", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800));
      await route.continue();
    });
    await page.getByRole("button", { name: "As a desktop" }).click();
    await page.locator(".viewer-screen canvas").waitFor();
    // One that is on its way still goes on.
    await page.unrouteAll({ behavior: "wait" });
    t.notMatch(page.url(), /#/, "the address is the desktop's alone");
    const [, id] = /desktops\/([^/]+)$/.exec(page.url()) ?? [];
    const seen = await agent.picture("take_screenshot", { connection_id: id });
    const admin = await appliance.agent();
    const wanted = await admin.picture("get_frame_at", { recording_id: recordingId, at_ms: 2000 });
    t.equal(differenceOf(seen, wanted), null);
    await t.rejects(agent.call("click_at", { x: 5, y: 5, connection_id: id }), "it takes no input");
    const bar = page.getByRole("toolbar", { name: "Recording" });
    await bar.getByText("Frozen at 0:02").waitFor();
    await page.locator(".state-mark", { hasText: "Replay" }).waitFor();
    await looksWell(t, page, "replay-desktop");
    const slider = bar.getByRole("slider", { name: "Position in the recording" });
    await slider.fill("3000");
    await bar.getByText("Frozen at 0:03").waitFor();
    const later = await agent.picture("take_screenshot", { connection_id: id });
    const there = await admin.picture("get_frame_at", { recording_id: recordingId, at_ms: 3000 });
    t.equal(differenceOf(later, there), null, "and all who watch it are there");
    await bar.getByRole("button", { name: "Play" }).click();
    await bar.getByText("Playing").waitFor();
    await bar.getByRole("button", { name: "Pause" }).click();
    await bar.getByText(/^Frozen at/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await looksWell(t, page, "replay-desktop");
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await t.test("an export that cannot be made says why", async () => {
    const visit = await signIn(browser, appliance);
    await visit.page.goto(`${appliance.url}/recordings/${recordingId}`);
    await visit.page.getByRole("button", { name: "Export" }).click();
    await visit.page.route("**/export.gif?*", (route) =>
      route.continue({ url: route.request().url().replace("from_ms=0", "from_ms=later") }),
    );
    await visit.page.getByLabel("To", { exact: true }).fill("0:01");
    await visit.page.getByRole("link", { name: /GIF/ }).click();
    await visit.page.getByText(/^Could not export: from_ms/).waitFor();
    await visit.context.close();
  });

  await t.test("deleting asks first", async (t) => {
    await page.goto(`${appliance.url}/recordings`);
    const remove = page.getByRole("button", { name: /^Delete the recording/ });
    const question = page.getByRole("alertdialog");
    await remove.click();
    t.same(await accessibilityFaults(page, "dialog"), []);
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "hidden" });
    t.equal(await page.locator(".recording").count(), 1, "no is no");
    const watching = await signIn(browser, appliance);
    await watching.page.goto(`${appliance.url}/recordings/${recordingId}#t=2`);
    await until("a picture", async () => (await paintedMs(watching.page)) === 2000);
    await remove.click();
    await question.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No recordings yet.").waitFor();
    const left = z
      .array(z.object({ id: z.string() }))
      .parse(await (await appliance.fetch("/api/v1/desktops")).json());
    t.same(
      left.map(({ id }) => id),
      ["demo"],
      "no desktop shows it any longer",
    );
    await watching.page.keyboard.press("9");
    await watching.page.getByText("The recording cannot be shown").waitFor();
    await watching.page
      .getByText(/no such recording/i)
      .first()
      .waitFor();
    await watching.context.close();
  });

  await t.test("who follows a recording that is deleted is told so", async () => {
    const { recording_id } = started.parse(await agent.call("start_recording"));
    await page.goto(`${appliance.url}/recordings/${recording_id}`);
    await page.getByRole("button", { name: /^Live/ }).waitFor();
    const visit = await signIn(browser, appliance);
    await visit.page.goto(`${appliance.url}/recordings`);
    await visit.page.getByRole("button", { name: /^Delete the recording/ }).click();
    await visit.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The recording cannot be shown").waitFor();
    await visit.context.close();
  });

  t.same(
    complaints.filter((text) => !text.includes("404")),
    [],
    "the browser complained of nothing but what was deleted",
  );
});

t.test("the canvas is what get_frame_at gives, at any time", { timeout: 240_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "xterm", "xwd"])) return;
  const target = await startTarget(t, "tigervnc", t.testdir(), { geometry: "1024x768" });
  const { display } = target;
  const appliance = await Appliance.start(t, { connect: [target.url], mode: "autopilot" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await agent.call("take_screenshot");
  const recordingId = await startRecording(agent);
  // Text that scrolls, and a window that comes on top of it and goes.
  const scroll = "i=0; while [ $i -lt 60 ]; do seq $i $((i+7)); sleep 0.1; i=$((i+1)); done; echo end > done";
  const folder = t.testdir();
  const terminal = display.program(
    "xterm",
    "-geometry",
    "100x40+10+10",
    "-e",
    "sh",
    "-c",
    `cd ${folder}; ${scroll}`,
  );
  await agent.call("wait_for", { change: true, timeout_ms: 10_000 }).catch(() => undefined);
  await until("the end of the scrolling", () => !terminal.isRunning, 60_000);
  const last = await agent.picture("take_screenshot", { wait_for_stable_ms: 300 });
  const durationMs = await stopRecording(agent, recordingId);

  const { page, complaints } = await signIn(await openBrowser(t), appliance);
  await page.goto(`${appliance.url}/recordings/${recordingId}`);
  await until("a picture", async () => (await paintedMs(page)) >= 0);

  const differing: string[] = [];
  let state = 20_261_121;
  for (let i = 0; i < 60; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const ms = i === 0 ? Math.floor(durationMs) : state % Math.floor(durationMs);
    await seek(page, ms);
    const seen = await playerShot(page);
    const wanted = await agent.picture("get_frame_at", { recording_id: recordingId, at_ms: ms });
    const difference = differenceOf(seen, wanted);
    if (difference !== null) differing.push(`${ms} ms: ${difference}`);
    if (i === 0) t.equal(differenceOf(seen, last), null, "the end is what the agent saw live");
  }
  t.same(differing, [], "60 random moments, every pixel");

  // A new page has nothing in its memory: the first seek of each is a cold one.
  const costs: number[] = [];
  for (let i = 0; i < 12; i++) {
    await page.goto(`${appliance.url}/recordings`);
    await page.goto(`${appliance.url}/recordings/${recordingId}`);
    await until("a picture", async () => (await paintedMs(page)) >= 0);
    costs.push(await page.evaluate<number>(`(${SEEK})(${Math.floor((durationMs * (i + 0.5)) / 12)})`));
  }
  costs.sort((a, b) => a - b);
  t.comment(`cold seeks: median ${costs[6]?.toFixed(0)} ms, slowest ${costs.at(-1)?.toFixed(0)} ms`);
  t.same(complaints, []);
});
