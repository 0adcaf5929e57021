import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { outcome } from "./approval-scenario.ts";
import { PLACE, RacedTarget } from "./raced-target.ts";

/** How many presses: a few in the check. */
const PRESSES = Number(process.env["OC_APPROVAL_PRESSES"] ?? 12);
/** Where cards stand, and the window's size. */
const PLACES = [
  { page: "/approvals", width: 1440, height: 900 },
  { page: "/approvals", width: 390, height: 844 },
  { page: "/desktops/", width: 390, height: 844 },
] as const;
/** What happens between the aim and the press. */
const MOVES = ["nothing", "the one above is denied", "another one comes", "both"] as const;

/** A press that no card took is answered by nothing. */
const ANSWERED_MS = 10_000;

const questions = z.array(z.object({ id: z.string(), intent: z.string() }));

t.test(
  `${PRESSES} presses while cards come and go: none is taken by another card than the one aimed at`,
  { timeout: 60_000 + PRESSES * 5000 },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const target = await RacedTarget.start(t);
    const appliance = await Appliance.start(t, { connect: [target.url], mode: "assist" });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const browser = await openBrowser(t);
    const desktops = z.array(z.object({ id: z.string() }));
    const [desktop] = desktops.parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const pending = async () => questions.parse(await (await appliance.fetch("/api/v1/approvals")).json());
    const deny = (id: string): Promise<Response> =>
      appliance.fetch(`/api/v1/approvals/${id}`, { decision: "deny" });
    const counts = { taken: 0, missed: 0, other: 0 };
    for (const [index, { page: path, ...viewport }] of PLACES.entries()) {
      const { page, context } = await signIn(browser, appliance, { viewport });
      for (let i = index; i < PRESSES; i += PLACES.length) {
        const ends = new Map<string, Promise<string>>();
        const ask = async (intent: string): Promise<void> => {
          ends.set(intent, outcome(agent, "click_at", { ...PLACE, intent }));
          await until("the question", async () => (await pending()).some((one) => one.intent === intent));
        };
        for (const intent of ["above", "aimed", "below"]) await ask(intent);
        const shown = await pending();
        await page.goto(`${appliance.url}${path}${path === "/desktops/" ? (desktop?.id ?? "") : ""}`);
        const aimed = shown.find(({ intent }) => intent === "aimed")?.id ?? "";
        await page.locator(`button[data-approval-id="${aimed}"]`).click();
        const button = page.locator(`[data-approval-id="${aimed}"] .button-primary:enabled`);
        await button.waitFor();
        await button.hover();
        const box = await button.boundingBox();
        if (box === null) throw new Error("the button has no place");
        const move = MOVES[Math.trunc(i / PLACES.length) % MOVES.length] ?? "nothing";
        if (move === "the one above is denied" || move === "both") await deny(shown[0]?.id ?? "");
        if (move === "another one comes" || move === "both") await ask("late");
        // As long as a late card needs to take a yes, or not at all.
        if (i % 2 === 0) await page.waitForTimeout(700);
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        // Else a slow machine denies below what was pressed, and is not answered yet.
        const answered = page
          .waitForResponse(
            (response) => response.request().method() === "POST" && response.url().includes("/approvals/"),
            { timeout: ANSWERED_MS },
          )
          .catch(() => null);
        await page.mouse.down();
        await page.mouse.up();
        await answered;
        for (const { id } of await pending()) await deny(id);
        const taken: string[] = [];
        for (const [intent, end] of ends) if ((await end) === "done") taken.push(intent);
        if (taken.length === 0) counts.missed++;
        else if (taken.length === 1 && taken[0] === "aimed") counts.taken++;
        else {
          counts.other++;
          t.fail(`${path} ${viewport.width}, ${move}: ${taken.join()} was approved, expected aimed alone`);
        }
      }
      await context.close();
    }
    t.comment(JSON.stringify(counts));
    t.equal(counts.other, 0);
    t.equal(counts.missed, 0, "and every press counts");
    appliance.assertAlive();
  },
);
