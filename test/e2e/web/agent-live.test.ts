import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

/** As the harness' agents call themselves, and their token. */
const CLIENT = "e2e";
const TOKEN = "agent";
const SECRET = "zqxv wobbleplank gruntify";

/** Keeps what is put over the picture: marks go by themselves, and a busy machine looks too late. */
const WATCH_MARKS = `
  globalThis.seenMarks = [];
  new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) {
      for (const node of addedNodes) {
        const element = node instanceof Element ? node : target;
        globalThis.seenMarks.push({
          class: element.className,
          style: element.getAttribute("style") ?? "",
          text: element.textContent,
          animations: element.getAnimations().length,
        });
      }
      if (addedNodes.length === 0) {
        const text = target.parentElement?.closest(".agent-pointer")?.textContent ?? "";
        globalThis.seenMarks.push({ class: "text", style: "", text, animations: 0 });
      }
    }
  }).observe(document.querySelector(".viewer-marks"), { childList: true, subtree: true, characterData: true });
`;

const marksSchema = z.array(
  z.object({ class: z.string(), style: z.string(), text: z.string(), animations: z.number() }),
);
type Marks = z.infer<typeof marksSchema>;

async function marksOf(page: Page): Promise<Marks> {
  return marksSchema.parse(await page.evaluate("globalThis.seenMarks"));
}

function markOf(page: Page, what: string, is: (mark: Marks[number]) => boolean): Promise<Marks[number]> {
  return until(what, async () => (await marksOf(page)).find(is) ?? null);
}

async function openViewer(page: Page, appliance: Appliance, id: string): Promise<void> {
  await page.goto(`${appliance.url}/desktops/${id}`);
  await until("a picture", () => viewerShot(page));
  await page.locator(".viewer-panel").waitFor();
  await page.evaluate(WATCH_MARKS);
}

/** Where a mark lies, in parts of the desktop. */
function placeOf({ style }: Marks[number]): readonly number[] {
  return [...style.matchAll(/([\d.]+)%/g)].map(([, percent]) => Number(percent) / 100);
}

async function sizeOf(agent: Agent): Promise<{ width: number; height: number }> {
  const { width, height } = await agent.shot();
  return { width, height };
}

t.test("an agent's work is seen on the picture while it works", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { env: { OC_APPROVAL_ARMING_MS: "100" } });
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  const { page, complaints } = await signIn(browser, appliance);
  await openViewer(page, appliance, id);
  const agent = await appliance.agent({ token: appliance.agentToken });
  const size = await sizeOf(agent);
  await page.getByText(`${CLIENT} works here now`).waitFor();

  await t.test("its pointer, by its name", async (t) => {
    await agent.call("move_mouse", { x: 200, y: 150 });
    const mark = await markOf(page, "the pointer", (one) => one.class.includes("agent-pointer"));
    t.match(mark.text, CLIENT);
    await page.locator(".agent-pointer > .agent-name").waitFor();
    const at = await until("the pointer in its place", async () => {
      const style = (await page.locator(".agent-pointer").getAttribute("style")) ?? "";
      const place = placeOf({ class: "", style, text: "", animations: 0 });
      return Math.abs((place[0] ?? 0) - 200 / size.width) < 0.001 ? place : null;
    });
    t.ok(Math.abs((at[1] ?? 0) - 150 / size.height) < 0.001, "also from above");
    await looksWell(t, page, "agent-pointer");
  });

  await t.test("where it clicked, and that no motion is asked for where that is unwanted", async (t) => {
    await agent.call("click_at", { x: 300, y: 200 });
    const click = await markOf(page, "the ripple", (one) => one.class.includes("agent-click"));
    const [left = 0, top = 0] = placeOf(click);
    t.ok(Math.abs(left - 300.5 / size.width) < 0.001 && Math.abs(top - 200.5 / size.height) < 0.001);
    t.equal(click.animations, 1, "it grows");
    await page.emulateMedia({ reducedMotion: "reduce" });
    await agent.call("click_at", { x: 310, y: 210 });
    const still = await markOf(page, "the other ripple", (one) => {
      return (
        one.class.includes("agent-click") && Math.abs((placeOf(one)[0] ?? 0) - 310.5 / size.width) < 0.001
      );
    });
    t.equal(still.animations, 0, "it stands still");
    await page.emulateMedia({ reducedMotion: "no-preference" });
  });

  await t.test("how much it types, and nothing of what", async (t) => {
    await agent.call("type_text", { text: SECRET, typing_speed_wpm: 300 });
    const typed = await markOf(page, "that it types", (one) => /types, \d+ keys?/.test(one.text));
    t.match(typed.text, CLIENT);
    await page.getByText(`Type ${SECRET.length} characters`).waitFor();
    const words = SECRET.split(" ");
    const told = JSON.stringify(await marksOf(page)) + (await page.content());
    t.notOk(
      words.some((word) => told.includes(word)),
      "no word of it is in the page",
    );
  });

  await t.test("what it looks at, on the picture and in the list", async (t) => {
    await agent.call("zoom", { region: { x: 64, y: 32, width: 128, height: 96 } });
    const look = await markOf(page, "the look", (one) => one.class.includes("agent-look"));
    t.match(look.text, `${CLIENT} looks here`);
    const expected = [64 / size.width, 32 / size.height, 128 / size.width, 96 / size.height];
    const place = placeOf(look);
    t.ok(
      expected.every((part, index) => Math.abs((place[index] ?? 0) - part) < 0.001),
      "it lies where it looked",
    );
    await agent.shot();
    const looks = (await marksOf(page)).filter((one) => one.class.includes("agent-look"));
    t.equal(looks.length, 1, "a look at all of it marks nothing");
    await agent.shot();
    const rows = page.locator(".action-words > p:first-child", { hasText: "Look at" });
    await rows.first().getByText("Look at the screen 2 times").waitFor();
    t.equal(await rows.nth(1).innerText(), "Look at 128x96 at 64,32", "each has its row");
    await agent.call("click_at", { x: 320, y: 220, intent: "with a picture of what it did" });
    await page.getByText("with a picture of what it did").waitFor();
    t.match(await page.locator(".action").nth(1).innerText(), "Look at the screen 2 times");
    await page.reload();
    await rows.first().getByText("Look at the screen 2 times").waitFor();
    await looksWell(t, page, "agent-looks");
  });

  await t.test("one agent has one name", async (t) => {
    await appliance.fetch(`/api/v1/desktops/${id}/mode`, { mode: "assist" });
    const asked = agent.call("click_at", { x: 30, y: size.height - 20 });
    const name = page.locator(".approval strong").first();
    t.equal(await name.innerText(), CLIENT, "on the card");
    t.equal(await name.getAttribute("title"), `Token: ${TOKEN}`, "with its token");
    await page
      .getByRole("button", { name: /Approve/ })
      .first()
      .click();
    await asked;
    t.equal(await page.locator(".viewer-agents").innerText(), `Agent: ${CLIENT}`, "in the bar");
    const listed = page.locator(".action").first().getByText(CLIENT);
    await listed.waitFor();
    t.equal(await listed.getAttribute("title"), `Token: ${TOKEN}`, "in the list");
  });
  t.same(complaints, [], "the browser complains of nothing");
});
