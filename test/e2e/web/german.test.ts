import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { outcome, rest } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

const CATALOGUE = fileURLToPath(new URL("../../../src/web/client/language/german.json", import.meta.url));
const catalogue = z.object({ messages: z.record(z.string(), z.string()) });

/** English texts of two words and more, without values, that German says in another way. */
const ENGLISH: ReadonlySet<string> = new Set(
  Object.entries(catalogue.parse(JSON.parse(readFileSync(CATALOGUE, "utf8"))).messages)
    .filter(([english, german]) => english !== german && /\w \w/.test(english) && !/[{#|]/.test(english))
    .map(([english]) => english.trim()),
);

/** In the page: every text that is shown, and what is said of elements. */
const TEXTS = `(() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { parentElement } = walk.currentNode;
    if (parentElement.closest("script, style") === null) found.push(walk.currentNode.textContent.trim());
  }
  for (const one of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    for (const name of ["aria-label", "title", "placeholder"]) found.push((one.getAttribute(name) ?? "").trim());
  }
  return found;
})()`;

async function english(page: Page): Promise<readonly string[]> {
  return (await page.evaluate<string[]>(TEXTS)).filter((text) => ENGLISH.has(text));
}

/** In the page: whether the links to all pages, and the tabs of the panel, each stand in one line. */
const LINES = `[".shell-head nav a", "[role=tablist] [role=tab]"].map((links) =>
  new Set([...document.querySelectorAll(links)].map((link) => link.offsetTop)).size)`;

/** In the page: choices and hints that their field has no room for. */
const CUT = `(() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("dialog :is(select, input, .button)")].flatMap((field) => {
    const style = getComputedStyle(field);
    const words = field.matches("select") ? field.selectedOptions[0].text : (field.placeholder ?? field.textContent);
    pen.font = style.font;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    // A list keeps room for its arrow.
    const needed = pen.measureText(words).width + (field.matches("select") ? 16 : 0);
    return field.checkVisibility() && needed > room + 1 ? [words + ": " + Math.ceil(needed - room) + " px"] : [];
  });
})()`;

t.test("who speaks German reads German on every page", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  t.ok(ENGLISH.size > 500, `${ENGLISH.size} texts would be seen`);
  const appliance = await Appliance.start(t, { mode: "assist", args: ["--demo"] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const browser = await openBrowser(t);
  const { page, complaints } = await signIn(browser, appliance, { locale: "de-DE" });
  const [desktop] = await rest(appliance, "/api/v1/desktops");
  await appliance.fetch("/api/v1/recordings", { desktop_id: desktop?.id });
  const [recording] = await rest(appliance, "/api/v1/recordings");
  const ask = (): Promise<string> =>
    outcome(agent, "click_at", { x: 1240, y: 780, intent: "um es zu sehen" });
  const seen = ask();
  const pages = {
    desktops: "/",
    viewer: `/desktops/${desktop?.id}`,
    approvals: "/approvals",
    recordings: "/recordings",
    player: `/recordings/${recording?.id}`,
    setup: "/setup",
    access: "/access",
    audit: "/audit",
    rules: `/desktops/${desktop?.id}/rules`,
  };
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`${appliance.url}${path}`);
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle").catch(() => undefined);
      t.equal(await page.locator("html").getAttribute("lang"), "de", name);
      t.same(await english(page), [], `${name} at ${width}`);
      const lines = await page.evaluate<number[]>(LINES);
      t.ok(
        lines.every((count) => count <= 1),
        `${lines.join()} lines of links, and of tabs, in ${name} at ${width}`,
      );
      await looksWell(t, page, `german-${name}`);
    }
  }
  for (const width of [1440, 390]) {
    await t.test(`the form for each kind of desktop, ${width} px wide`, async (t) => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(appliance.url);
      await page.getByRole("button", { name: "Desktop hinzufügen" }).click();
      for (const protocol of ["vnc", "kasmvnc", "rdp", "browser"]) {
        await page.locator("dialog [name=protocol]").selectOption(protocol);
        for (const more of await page.locator("dialog details:not([open]) > summary").all())
          await more.click();
        t.same(await english(page), [], protocol);
        t.same(await page.evaluate<string[]>(CUT), [], `no word of ${protocol} is cut`);
        await looksWell(t, page, `german-add-${protocol}`);
      }
    });
  }

  await t.test("the page to sign in", async (t) => {
    const context = await browser.newContext({ locale: "de-DE", viewport: { width: 390, height: 900 } });
    const outside = await context.newPage();
    await outside.goto(`${appliance.url}/signin`);
    await outside.locator("h1").first().waitFor();
    t.same(await english(outside), []);
    await looksWell(t, outside, "german-signin");
    await outside.getByRole("textbox").fill("ocp_wrong");
    await outside.getByRole("button", { name: "Anmelden" }).click();
    await outside.getByRole("alert").waitFor();
    t.same(await english(outside), [], "with a wrong token");
    await context.close();
  });

  await page.setViewportSize({ width: 1440, height: 900 });
  // A question stays for a minute, which all these pages may take longer than: the first one is over, or may be in a moment.
  for (const { id } of await rest(appliance, "/api/v1/approvals"))
    await appliance.fetch(`/api/v1/approvals/${id}`, { decision: "deny" });
  await seen;
  await page.goto(`${appliance.url}/approvals`);
  const end = ask();
  await page.getByRole("heading", { name: "Klick links bei 1240,780" }).waitFor();
  await page.getByRole("button", { name: "10 min lang erlauben: Klick links hier" }).waitFor();
  await page.getByRole("button", { name: "Erlauben" }).first().click();
  t.equal(await end, "done");
  t.same(complaints, []);
});
