import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { outcome, rest } from "../agents/approval-scenario.ts";
import { PLACE, RacedTarget } from "../agents/raced-target.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop } from "../viewers/viewer-scenario.ts";

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
type Box = z.infer<typeof boxSchema>;

async function boxOf(page: Page, selector: string): Promise<Box> {
  return boxSchema.parse(await page.locator(selector).boundingBox());
}

/** Questions of one agent, asked one after the other; what each came to. */
async function askAll(
  appliance: Appliance,
  agent: Agent,
  intents: readonly string[],
): Promise<ReadonlyMap<string, Promise<string>>> {
  const ends = new Map<string, Promise<string>>();
  for (const intent of intents) {
    ends.set(intent, outcome(agent, "click_at", { ...PLACE, intent }));
    await until("the question", async () => {
      const approvals = await rest(appliance, "/api/v1/approvals");
      return approvals.length === ends.size;
    });
  }
  return ends;
}

/** The card that waits: its heading, and whether all of it is in the window. */
async function checkWhole(t: Test, page: Page, what: string): Promise<void> {
  const { x, y, width, height } = await boxOf(page, ".dock .approval");
  const window = page.viewportSize() ?? { width: 0, height: 0 };
  t.ok(x >= 0 && y >= 0 && x + width <= window.width && y + height <= window.height, `${what}: all is seen`);
}

const INTENTS = ["first", "second", "third", "fourth"] as const;
const PLACES = [
  { path: "/approvals", width: 1440, height: 900, panel: true },
  { path: "/approvals", width: 390, height: 844, panel: true },
  { path: "viewer", width: 1440, height: 900, panel: true },
  { path: "viewer", width: 1440, height: 900, panel: false },
  { path: "viewer", width: 390, height: 844, panel: false },
] as const;

t.test("questions in a row are answered in one place", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const target = await RacedTarget.start(t);
  const appliance = await Appliance.start(t, {
    connect: [target.url],
    mode: "assist",
    env: { OC_APPROVAL_ARMING_MS: "100", OC_APPROVAL_EXPIRY_MS: "300000" },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  const open = async (viewport: { readonly width: number; readonly height: number }, path: string) => {
    const visit = await signIn(browser, appliance, { viewport });
    await visit.page.goto(`${appliance.url}${path === "viewer" ? `/desktops/${id}` : path}`);
    return visit;
  };

  for (const { path, panel, ...viewport } of PLACES) {
    const name = `${path} ${viewport.width}${panel ? "" : " without the panel"}`;
    await t.test(`${name}: four presses at the same point approve four`, async (t) => {
      const ends = await askAll(appliance, agent, INTENTS);
      const { page, context } = await open(viewport, path);
      const toggle = page.getByRole("button", { name: /^Panel/ });
      if (path === "viewer" && viewport.width > 1000 && !panel) await toggle.click();
      const button = ".dock .approval .button-primary";
      let place: Box | null = null;
      for (const intent of INTENTS) {
        await page.locator(".dock .approval", { hasText: intent }).waitFor();
        await page.locator(`${button}:enabled`).waitFor();
        await checkWhole(t, page, intent);
        const box = await boxOf(page, button);
        place ??= box;
        t.same(box, place, `${intent}: Approve is where it was`);
        await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
        t.equal(await ends.get(intent), "done", intent);
      }
      await page.locator(".dock .approval").waitFor({ state: "detached" });
      t.match(await page.locator(".approval-line.is-settled").last().innerText(), /Approved by/, "a line");
      await context.close();
    });
  }

  await t.test("a question that is chosen comes to the front, and none takes its place", async (t) => {
    const ends = await askAll(appliance, agent, ["one", "two"]);
    const { page, context } = await open({ width: 390, height: 844 }, "/approvals");
    await page.locator(".dock .approval", { hasText: "one" }).waitFor();
    await page.locator("button.approval-line").click();
    await page.locator(".dock .approval", { hasText: "two" }).waitFor();
    const focused = "document.activeElement?.closest('.approval')?.textContent ?? ''";
    await until("the focus in it", async () => /two/.test(await page.evaluate<string>(focused)));
    await page.keyboard.press("d");
    t.equal(await ends.get("two"), "denied_by_human");
    await until("the focus in the next", async () => /one/.test(await page.evaluate<string>(focused)));
    await page.keyboard.press("d");
    t.equal(await ends.get("one"), "denied_by_human");
    await context.close();
  });

  await t.test("from within the desktop, keys alone reach and answer one after the other", async (t) => {
    const { page, context } = await open({ width: 1440, height: 900 }, "viewer");
    await page.locator(".viewer-screen canvas").click();
    await appliance.fetch(`/api/v1/desktops/${id}/give-back`, {});
    const ends = await askAll(appliance, agent, ["one", "two"]);
    await page.locator(".dock .approval").waitFor();
    await page.keyboard.press("a");
    t.equal((await rest(appliance, "/api/v1/approvals")).length, 2, "A means nothing without the focus");
    await page.keyboard.press("Control+Alt+Shift+A");
    for (const intent of ["one", "two"]) {
      await until(`the focus in ${intent}`, async () => {
        const text = await page.evaluate<string>("document.activeElement?.className ?? ''");
        const front = await page.locator(".dock .approval").innerText();
        return /approval/.test(text) && front.includes(intent);
      });
      await page.locator(".dock .approval .button-primary:enabled").waitFor();
      await page.keyboard.press("a");
      t.equal(await ends.get(intent), "done", intent);
    }
    await context.close();
  });

  await t.test("a ring is on the live picture, at the very place, and the way of a drag", async (t) => {
    const { page, context } = await open({ width: 1440, height: 900 }, "viewer");
    const asked = outcome(agent, "click_at", { ...PLACE });
    const ring = ".viewer-marks .approval-ring";
    await page.locator(ring).waitFor();
    const at = await boxOf(page, ring);
    const surface = await boxOf(page, ".viewer-surface");
    const scale = surface.width / 320;
    const middle = { x: at.x + at.width / 2 - surface.x, y: at.y + at.height / 2 - surface.y };
    t.ok(Math.abs(middle.x - (PLACE.x + 0.5) * scale) < 1, `x ${middle.x}`);
    t.ok(Math.abs(middle.y - (PLACE.y + 0.5) * scale) < 1, `y ${middle.y}`);
    const text = await page.evaluate<string | null>(
      `document.elementFromPoint(${at.x + at.width / 2}, ${at.y + at.height / 2})?.tagName`,
    );
    t.equal(text, "CANVAS", "a press there goes to the desktop");
    await page.locator(".dock .approval").focus();
    await page.keyboard.press("d");
    t.equal(await asked, "denied_by_human");
    await page.locator(ring).waitFor({ state: "detached" });
    const dragged = outcome(agent, "drag", { path: [PLACE, { x: 200, y: 200 }] });
    await page.locator(".viewer-marks .approval-way").waitFor();
    t.equal(await page.locator(ring).count(), 2, "both ends");
    await page.locator(".dock .approval").focus();
    await page.keyboard.press("d");
    t.equal(await dragged, "denied_by_human");
    await context.close();
  });

  await t.test(
    "what is allowed for a while is a chip, with the panel or without, and is taken back",
    async (t) => {
      const { page, context } = await open({ width: 1440, height: 900 }, "viewer");
      const asked = outcome(agent, "click_at", { ...PLACE });
      await page.getByRole("button", { name: /^Allow for 10 min/ }).click();
      t.equal(await asked, "done");
      const chip = page.locator(".grant");
      await chip.waitFor();
      t.match(await chip.innerText(), /Click left here\s+(9:\d\d|10:00)/, "with the time that is left");
      t.equal(await outcome(agent, "click_at", { ...PLACE }), "done", "it is not asked again");
      await page.getByRole("button", { name: /^Panel/ }).click();
      await page.locator(".floating .grant").waitFor();
      await looksWell(t, page, "approvals-chip");
      await page.getByRole("button", { name: /^Take back/ }).click();
      await chip.waitFor({ state: "detached" });
      const again = outcome(agent, "click_at", { ...PLACE });
      await page.locator(".dock .approval").focus();
      await page.keyboard.press("d");
      t.equal(await again, "denied_by_human", "it is asked again");
      await context.close();
    },
  );

  await t.test(
    "an edit opens in view with the focus in it, and counts once it changes something",
    async (t) => {
      const { page, context } = await open({ width: 390, height: 844 }, "/approvals");
      const long = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
      const asked = agent.call("type_text", { text: long }).then(
        () => "done",
        () => "refused",
      );
      await page.locator(".dock .approval").waitFor();
      await checkWhole(t, page, "a long text");
      await page.getByRole("button", { name: "Edit" }).click();
      const text = page.locator(".approval-edit textarea");
      const isFocused = `document.activeElement.matches(".approval-edit textarea")`;
      await until("the focus in the edit", () => page.evaluate<boolean>(isFocused));
      const [body, field] = [
        await boxOf(page, ".approval-body"),
        await boxOf(page, ".approval-edit textarea"),
      ];
      t.ok(field.y >= body.y && field.y < body.y + body.height, "it is in view");
      const approve = page.getByRole("button", { name: "Approve the change" });
      t.equal(await approve.isDisabled(), true, "nothing is changed yet");
      await text.fill("short");
      t.equal(await approve.isDisabled(), false);
      await text.fill(long);
      t.equal(await approve.isDisabled(), true, "as it was");
      await looksWell(t, page, "approvals-edit");
      await page.getByRole("button", { name: "Deny" }).click();
      t.equal(await asked, "refused");
      await context.close();
    },
  );

  await t.test("arrow keys on the modes change nothing; the dialog says what the mode allows", async (t) => {
    const { page, context } = await open({ width: 1440, height: 900 }, "viewer");
    const mode = async (): Promise<string> => {
      const told = await (await appliance.fetch(`/api/v1/desktops/${id}`)).json();
      return z.object({ mode: z.string() }).parse(told).mode;
    };
    const select = page.getByLabel("Mode: what agents may do");
    await select.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const dialog = page.getByRole("alertdialog");
    await dialog.waitFor();
    t.match(await dialog.innerText(), /Agents type freely and ask before they click/);
    const focused = "document.activeElement.textContent";
    t.equal(await page.evaluate<string>(focused), "Cancel", "the safe answer has the focus");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    t.equal(await mode(), "assist");
    t.equal(await select.inputValue(), "assist", "and the list says so");
    await select.selectOption("autopilot");
    await looksWell(t, page, "mode-dialog");
    await dialog.getByRole("button", { name: "Set to Autopilot" }).click();
    await until("autopilot", async () => (await mode()) === "autopilot");
    await select.selectOption("assist");
    await dialog.getByRole("button", { name: "Set to Assist" }).click();
    await until("assist", async () => (await mode()) === "assist");
    await context.close();
  });

  await t.test("who looks elsewhere is notified, once it was allowed", async (t) => {
    const { page, context } = await open({ width: 1440, height: 900 }, "/approvals");
    await context.grantPermissions(["notifications"]);
    await page.addInitScript(`
      window.told = [];
      const Real = Notification;
      window.Notification = class extends Real {
        constructor(title, options) {
          super(title, options);
          window.told.push(title + ": " + options.body);
        }
      };
      document.hasFocus = () => window.isLookedAt !== false;
    `);
    await page.reload();
    await page.locator("h1", { hasText: "Approvals" }).waitFor();
    const seen = await askAll(appliance, agent, ["while it is looked at"]);
    await page.locator(".dock .approval").waitFor();
    t.same(await page.evaluate("window.told"), []);
    await page.locator(".dock .approval").focus();
    await page.keyboard.press("d");
    await seen.get("while it is looked at");
    await page.evaluate("window.isLookedAt = false");
    const missed = await askAll(appliance, agent, ["behind another window"]);
    await until("the notification", () => page.evaluate<boolean>("window.told.length === 1"));
    t.match(await page.evaluate<readonly string[]>("window.told"), [/behind another window/]);
    await page.locator(".dock .approval").focus();
    await page.keyboard.press("d");
    await missed.get("behind another window");
    await context.close();
  });
});
