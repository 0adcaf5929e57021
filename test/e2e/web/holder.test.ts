import type { Browser, Page } from "playwright-core";
import t from "tap";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { rest } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn, type Visit } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

// Two people at one desktop: who has the input, who takes it, and who is told.

t.test("the input goes from one person to another by name", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  const comes = (name: string, role: string): Promise<Visit> => visit(browser, appliance, id, name, role);
  const ann = await comes("Ann", "operator");
  const bob = await comes("Bob", "operator");
  const eve = await comes("Eve", "viewer");

  await ann.page.locator(".viewer-screen canvas").click({ position: { x: 5, y: 5 } });
  for (const [{ page }, words] of [
    [ann, "You hold the input"],
    [bob, "Ann holds the input"],
    [eve, "Ann holds the input"],
  ] as const) {
    await page.locator(".viewer-holder").getByText(words).waitFor();
  }

  await t.test("only who holds it is asked to give it back", async (t) => {
    t.equal(await button(ann.page, "Give back"), 1);
    t.equal(await button(bob.page, "Give back"), 0, "it is not his to give");
    t.equal(await button(bob.page, "Take over"), 1);
    t.equal(await button(eve.page, "Take over"), 0, "who only watches takes nothing");
    const take = bob.page.getByRole("button", { name: "Take over" });
    t.match(await take.getAttribute("title"), /become yours, and Ann is told/);
    await looksWell(t, bob.page, "holder-other");
  });

  await t.test("who loses it is told who took it", async (t) => {
    await bob.page.getByRole("button", { name: "Take over" }).click();
    await ann.page.getByText("Bob took the input from you").waitFor();
    await bob.page.locator(".viewer-holder").getByText("You hold the input").waitFor();
    await eve.page.locator(".viewer-holder").getByText("Bob holds the input").waitFor();
    t.equal(await eve.page.getByText("took the input from you").count(), 0, "and nobody else is");
    await looksWell(t, ann.page, "holder-lost");
  });

  await t.test("who wants it asks for it by name, and who holds it keeps it or gives it", async (t) => {
    const ask = ann.page.getByRole("button", { name: "Ask Bob for the input" }).first();
    await ask.click();
    await ann.page.getByText("Bob is asked").waitFor();
    const question = bob.page.locator(".notice", { hasText: "Ann asks for the input of Demo desktop" });
    await question.waitFor();
    await looksWell(t, bob.page, "holder-asked");
    t.equal(await eve.page.getByText("asks for the input").count(), 0, "nobody else is asked");
    t.equal(await button(eve.page, "Ask Bob for the input"), 0, "who only watches asks for nothing");
    await question.getByRole("button", { name: "Keep it" }).click();
    await ann.page.getByText("Bob keeps the input").waitFor();
    await ask.click();
    await question.getByRole("button", { name: "Give it to Ann" }).click();
    await ann.page.locator(".viewer-holder").getByText("You hold the input").waitFor();
    await bob.page.locator(".viewer-holder").getByText("Ann holds the input").waitFor();
    t.equal(await bob.page.getByText("took the input from you").count(), 0, "it was given");
  });

  await t.test("who is in the middle of something keeps it, and the other reads so", async () => {
    const [desktop] = await rest(appliance, "/api/v1/desktops");
    // As the server answers while its holder has not rested for two seconds.
    await bob.page.route("**/take-over", (route) => route.fulfill({ json: desktop }));
    await bob.page.getByRole("button", { name: "Take over" }).click();
    await bob.page.getByText("Ann is using it right now: ask for the input").waitFor();
    await bob.page.unroute("**/take-over");
    await bob.page.getByRole("button", { name: "Ask Ann for the input" }).first().click();
    await ann.page.getByRole("button", { name: "Give it to Bob" }).click();
    await bob.page.locator(".viewer-holder").getByText("You hold the input").waitFor();
  });

  await t.test("given back it is free, and nobody has lost it", async (t) => {
    await bob.page.getByRole("button", { name: "Give back" }).click();
    await ann.page.locator(".viewer-holder").waitFor({ state: "detached" });
    t.equal(await bob.page.getByText("took the input from you").count(), 0);
    t.equal(await button(ann.page, "Take over"), 0);
  });
  t.same([...ann.complaints, ...bob.complaints, ...eve.complaints], []);
});

async function visit(
  browser: Browser,
  appliance: Appliance,
  id: string,
  name: string,
  role: string,
): Promise<Visit> {
  const made = await appliance.fetch("/api/v1/tokens", { name, role });
  const { token } = newTokenSchema.parse(await made.json());
  const visited = await signIn(browser, { url: appliance.url, adminToken: token });
  await visited.page.goto(`${appliance.url}/desktops/${id}`);
  await until("a picture", () => viewerShot(visited.page));
  return visited;
}

function button(page: Page, name: string): Promise<number> {
  return page.getByRole("button", { name }).count();
}
