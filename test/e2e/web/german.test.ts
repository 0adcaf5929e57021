import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { outcome } from "../agents/approval-scenario.ts";
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

t.test("who speaks German reads German on every page", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  t.ok(ENGLISH.size > 500, `${ENGLISH.size} texts would be seen`);
  const appliance = await Appliance.start(t, { mode: "assist", args: ["--demo"] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const { page, complaints } = await signIn(await openBrowser(t), appliance, { locale: "de-DE" });
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const end = outcome(agent, "click_at", { x: 1240, y: 780, intent: "um es zu sehen" });
  const pages = {
    desktops: "/",
    viewer: `/desktops/${desktop?.id}`,
    approvals: "/approvals",
    recordings: "/recordings",
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
      await looksWell(t, page, `german-${name}`);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${appliance.url}/approvals`);
  await page.getByRole("button", { name: "Erlauben" }).first().click();
  t.equal(await end, "done");
  t.same(complaints, []);
});
