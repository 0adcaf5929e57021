import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { openSharedBrowser } from "./shared-browser.ts";

// A recording of a desktop that shows a shared tab names the element and the site of each step that an agent took there.

const PATIENCE_MS = 600_000;
const TYPED = "canary-of-what-was-typed";

const stepSchema = z.object({ type: z.literal("action"), kind: z.string(), summary: z.string() });
const entriesSchema = z.object({ entries: z.array(z.unknown()) });

t.test("each step in a page names its element in the recording", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool"])) return;
  const { site, appliance, agent } = await openSharedBrowser(t, "820,700", "autopilot");
  const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}/` });
  const { recording_id } = await agent.call("start_recording");
  const save = { tab_id, selector: "#save", intent: "to keep it" };
  // A click by the desktop's own pointer, after which it is known where the page is.
  await until("a click by the desktop", async () => {
    const { via } = await agent.call("browser_click", save);
    return via === "desktop";
  });
  await agent.call("browser_type", { tab_id, selector: "#nm", text: TYPED });
  await agent.call("browser_scroll", { tab_id, selector: "#far" });
  await agent.call("stop_recording", { recording_id });

  const answer = await appliance.fetch(`/api/v1/recordings/${recording_id}/timeline`);
  const told = await answer.text();
  const steps = entriesSchema
    .parse(JSON.parse(told))
    .entries.flatMap((entry) => stepSchema.safeParse(entry).data ?? []);
  const host = new URL(site.url).host;
  const clicks = steps.filter(({ kind }) => kind === "click");
  t.match(clicks.at(-1)?.summary, new RegExp(`^Click left at \\d+,\\d+: button "Save" on ${host}$`));
  const inPage = steps.filter(({ kind }) => kind === "browser").map(({ summary }) => summary);
  const last = inPage.slice(-2);
  t.equal(last[0], `Type ${TYPED.length} characters into text field "Name" on ${host}`);
  t.equal(last[1], `Scroll to button "Far away" on ${host}`);
  t.notOk(told.includes(TYPED), "what was typed is not in it");

  // As the desktop's list of actions has it, and a person in the player.
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const actions = await (await appliance.fetch(`/api/v1/desktops/${desktop?.id}/actions`)).text();
  t.match(actions, /Scroll to button/);
  const { page } = await signIn(await openBrowser(t), appliance);
  await page.goto(`${appliance.url}/recordings/${recording_id}`);
  await page
    .locator(".player-row", { hasText: `button "Save" on ${host}` })
    .first()
    .waitFor();
  await page
    .locator(".player-row", { hasText: `text field "Name" on ${host}` })
    .first()
    .waitFor();
});
