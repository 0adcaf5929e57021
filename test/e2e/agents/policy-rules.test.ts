import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser } from "../harness/browser.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";

/** Where the pages are kept as pictures, for people to look at; unset: nowhere. */
const PICTURES = process.env["OC_PICTURES"];

const listSchema = z.array(z.looseObject({ id: z.string() }));
const rulesSchema = z.object({ is_in_force: z.boolean(), rules: z.record(z.string(), z.unknown()) });

async function openPage(t: Test, appliance: Appliance, path: string): Promise<Page> {
  const browser = await openBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
  await page.goto(`${appliance.url}${path}`);
  return page;
}

async function expectAccessible(t: Test, page: Page, what: string): Promise<void> {
  t.same(await accessibilityFaults(page), [], `${what} has no accessibility fault`);
  if (PICTURES !== undefined) {
    await page.screenshot({ path: join(PICTURES, `rules-${what.replaceAll(" ", "-")}.png`), fullPage: true });
  }
}

t.test(
  "the rules page: words, areas drawn and edited, an example, and what is saved is what agents meet",
  { timeout: 120_000 },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const appliance = await Appliance.start(t, { mode: "assist" });
    const [desktop] = listSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const id = desktop?.id ?? "";
    const rules = async () =>
      rulesSchema.parse(await (await appliance.fetch(`/api/v1/desktops/${id}/rules`)).json());
    const page = await openPage(t, appliance, `/desktops/${id}`);
    await page.getByLabel("Mode: what agents may do").selectOption("custom");
    await page.getByRole("heading", { name: /^Rules for agents on/ }).waitFor();
    await page.getByText("Not in force: the desktop is in assist mode").waitFor();

    await page.locator('input[name="word-pointer"][value="allow"]').check();
    await page.locator('input[name="word-text"][value="deny"]').check();
    const map = page.locator(".rules-map");
    await map.locator("img").waitFor();
    const box = await map.boundingBox();
    if (box === null) throw new Error("the map has no place on the page");
    const at = (x: number, y: number): [number, number] => [box.x + box.width * x, box.y + box.height * y];
    await page.mouse.move(...at(0.5, 0.5));
    await page.mouse.down();
    await page.mouse.move(...at(0.6, 0.6));
    await page.mouse.move(...at(0.75, 0.75));
    await page.mouse.up();
    await page.getByLabel("Name of area 1").fill("Payroll");
    await page.getByRole("button", { name: "Add an area" }).click();
    await page.getByLabel("Verdict in Area 2").selectOption("ask");
    await page.getByRole("button", { name: "Move Area 2 up" }).click();
    t.equal(await page.getByLabel("Name of area 2").inputValue(), "Payroll");

    const answer = page.locator(".rules-answer");
    const example = page.locator(".rules-example");
    const tryAt = async (x: number, y: number): Promise<void> => {
      await example.getByLabel("x", { exact: true }).fill(String(x));
      await example.getByLabel("y", { exact: true }).fill(String(y));
    };
    await tryAt(10, 10);
    await answer.getByText(/^Asked.*By the area “Area 1”/).waitFor();
    await tryAt(900, 10);
    await answer.getByText(/^Allowed/).waitFor();
    await example.getByLabel("An agent uses").selectOption("text");
    await answer.getByText(/^Denied/).waitFor();
    t.same((await rules()).is_in_force, false, "nothing is in force before it is saved");

    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(t, page, colorScheme);
    }
    await page.setViewportSize({ width: 360, height: 800 });
    const widest = await page.evaluate<number>("document.documentElement.scrollWidth");
    t.ok(widest <= 360, `nothing is wider than a phone: ${widest}`);
    await expectAccessible(t, page, "phone");
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByRole("button", { name: "Save and use them" }).click();
    await page.locator(".rules-state").getByText("In force", { exact: true }).waitFor();
    t.match(await rules(), {
      is_in_force: true,
      rules: {
        pointer: "allow",
        text: "deny",
        keys: "ask",
        areas: [{ verdict: "ask" }, { name: "Payroll", verdict: "deny" }],
      },
    });
    const areas = z
      .array(z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }))
      .parse((await rules()).rules["areas"]);
    const payroll = areas[1] ?? { x: 0, y: 0, width: 0, height: 0 };

    const agent = await appliance.agent({ token: appliance.agentToken });
    const codeOf = (tool: string, args: Record<string, unknown>): Promise<string> =>
      agent.call(tool, { ...args, effect_timeout_ms: 0 }).then(
        () => "done",
        (error: unknown) => (error instanceof ToolRefusal ? error.code : String(error)),
      );
    t.equal(await codeOf("click_at", { x: 900, y: 10 }), "done");
    const inside = { x: payroll.x + (payroll.width >> 1), y: payroll.y + (payroll.height >> 1) };
    t.equal(await codeOf("click_at", inside), "permission_denied");
    t.equal(await codeOf("type_text", { text: "x" }), "permission_denied");

    await page.getByRole("button", { name: "Delete Payroll" }).click();
    await page.getByText("In force, but your changes are not saved").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    t.equal(await page.getByLabel("Name of area 2").inputValue(), "Payroll");
    await page.getByRole("button", { name: "Delete Payroll" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".rules-state").getByText("In force", { exact: true }).waitFor();
    t.equal(await codeOf("click_at", inside), "done", "what is deleted rules no more");

    const log = (): string => readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
    await until("the audit", () => log().includes('"rules.changed"'));
    t.notMatch(log(), "Payroll");
    const headers = { authorization: `Bearer ${appliance.agentToken}`, "content-type": "application/json" };
    const refused = await fetch(`${appliance.url}/api/v1/desktops/${id}/rules`, {
      method: "PUT",
      headers,
      body: JSON.stringify({ rules: { pointer: "allow" } }),
    });
    t.equal(refused.status, 403, "an agent does not set rules");
  },
);
