// `npm run pictures:readme`: the README's pictures, of the demo desktop with an agent at work. Needs Chromium.
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { openBrowser, signIn } from "../test/e2e/harness/browser.ts";
import { until } from "../test/support/until.ts";

const FOLDER = fileURLToPath(new URL("../docs/images/", import.meta.url));
/** Until a picture shows what was just done: animations, the last frame. */
const SETTLE_MS = 1200;

const teardowns: (() => unknown)[] = [];
const owner = { teardown: (call: () => unknown) => void teardowns.push(call) };
try {
  const appliance = await Appliance.start(owner);
  const agent = await appliance.agent({ token: appliance.agentToken, name: "claude-code" });
  const [desktop] = z
    .tuple([z.object({ id: z.string() })], z.unknown())
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const setMode = (mode: string) => appliance.fetch(`/api/v1/desktops/${desktop.id}/mode`, { mode });
  const browser = await openBrowser(owner);
  const desk = await signIn(browser, appliance, {
    viewport: { width: 1440, height: 732 },
    colorScheme: "dark",
  });
  const phone = await signIn(browser, appliance, {
    ...{ viewport: { width: 390, height: 700 }, deviceScaleFactor: 1, colorScheme: "dark", hasTouch: true },
  });
  // The first of its two monitors.
  await desk.page.goto(`${appliance.url}/desktops/${desktop.id}?vx=0&vy=0&vw=1280&vh=800`);
  await until("a picture", () => agent.shot());
  const recording = z.object({ recording_id: z.string() }).parse(await agent.call("start_recording"));

  await agent.call("click_at", { x: 300, y: 300, intent: "Put the caret into the note" });
  await agent.call("type_text", {
    text: "Release notes for build 214: all tests pass.",
    intent: "Write down what was built",
  });
  await agent.call("draw_overlay", {
    ...{
      x: 84,
      y: 134,
      width: 620,
      height: 264,
      color: "#1e90ff",
      opacity: 0.1,
      label: "1 The note to save",
    },
  });
  await agent.call("draw_overlay", {
    ...{ x: 1058, y: 450, width: 116, height: 36, color: "#32cd32", opacity: 0.2, label: "2 Save" },
  });
  await agent.call("draw_overlay", {
    ...{ x: 760, y: 560, width: 278, height: -82, color: "#ff4500", opacity: 0.9, annotation_type: "arrow" },
  });
  await setMode("assist");
  const asked = agent.call("click_at", {
    ...{ x: 1117, y: 468, intent: "Save the note under the name of the build" },
  });
  await desk.page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .waitFor();
  await desk.page.getByTitle("Panel (P)").click();
  await desk.page.waitForTimeout(SETTLE_MS);
  await desk.page.screenshot({ path: `${FOLDER}viewer.png` });
  await phone.page.goto(`${appliance.url}/approvals`);
  await phone.page.getByRole("button", { name: /^Approve/ }).waitFor();
  await phone.page.waitForTimeout(SETTLE_MS);
  await phone.page.screenshot({ path: `${FOLDER}approvals-phone.png` });
  await phone.page.getByRole("button", { name: /^Approve/ }).click();
  await asked;

  await agent.call("stop_recording", recording);
  await desk.page.setViewportSize({ width: 1440, height: 900 });
  await desk.page.goto(`${appliance.url}/recordings/${recording.recording_id}`);
  await desk.page.locator("canvas").first().waitFor();
  for (let action = 0; action < 3; action++) await desk.page.keyboard.press("n");
  await desk.page.waitForTimeout(SETTLE_MS);
  await desk.page.screenshot({ path: `${FOLDER}player.png` });
} finally {
  for (const teardown of teardowns.reverse()) await teardown();
}
