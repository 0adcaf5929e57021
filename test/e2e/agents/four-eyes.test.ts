import t from "tap";
import * as z from "zod";
import { newTicketSchema } from "../../../src/web/api/tickets-api.ts";
import { type NewToken, newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { rest } from "./approval-scenario.ts";

// Alice's agent asks, by a real MCP client; she, her guest and Bob answer in every way that there is.

/** It is bound to its text alone: no blinking caret voids what is asked. What it came to: "done", or a code. */
function setClipboard(agent: Agent): Promise<string> {
  return agent.call("set_clipboard", { text: "hello" }).then(
    () => "done",
    (error: { code?: string; message?: string }) => error.code ?? error.message ?? "bug",
  );
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

async function openHouse(t: Parameters<typeof Appliance.start>[0]) {
  const appliance = await Appliance.start(t, {
    args: ["--demo"],
    mode: "assist",
    env: { OC_APPROVAL_FOUR_EYES: "on", OC_APPROVAL_ARMING_MS: "0" },
  });
  /** A call of somebody's own. */
  const by = (token: string) => ({
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  const make = async (body: object, token = appliance.adminToken): Promise<NewToken> =>
    newTokenSchema.parse(await (await appliance.fetch("/api/v1/tokens", body, by(token))).json());
  const alice = await make({ name: "Alice", role: "admin", owner: "alice" });
  const bob = await make({ name: "Bob", role: "admin", owner: "bob" });
  const bot = await make({ name: "bot", role: "agent" }, alice.token);
  const agent = await appliance.agent({ token: bot.token });
  await until("a picture", () => agent.shot());
  const question = async (): Promise<string> => {
    let id = "";
    await until("a question", async () => {
      id = (await rest(appliance, "/api/v1/approvals"))[0]?.id ?? "";
      return id !== "";
    });
    return id;
  };
  const answer = async (id: string, body: object, token: string) => {
    const response = await appliance.fetch(`/api/v1/approvals/${id}`, body, by(token));
    const { error } = errorSchema.partial().parse(await response.json());
    return { status: response.status, message: error?.message ?? "" };
  };
  return { appliance, alice, bob, agent, by, question, answer };
}

t.test("over REST: a yes, one for a while, one by a guest and a mode", { timeout: 600_000 }, async (t) => {
  const { appliance, alice, bob, agent, by, question, answer } = await openHouse(t);
  const invited = await appliance.fetch(
    "/api/v1/desktops/demo/tickets",
    { role: "approver" },
    by(alice.token),
  );
  const { url } = newTicketSchema.parse(await invited.json());
  const token = new URL(url).hash.slice("#token=".length);
  const signedIn = await fetch(`${appliance.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

  const work = setClipboard(agent);
  const id = await question();
  for (const body of [{ decision: "approve" }, { decision: "approve", allow_for_ms: 60_000 }]) {
    const { status, message } = await answer(id, body, alice.token);
    t.equal(status, 403);
    t.match(message, /by the owner of this agent/);
  }
  const byGuest = await fetch(`${appliance.url}/api/v1/approvals/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ decision: "approve" }),
  });
  t.equal(byGuest.status, 403, "her guest may be she");
  t.equal((await answer(id, { decision: "approve", allow_for_ms: 60_000 }, bob.token)).status, 200);
  t.equal(await work, "done");
  const setMode = (mode: string, who: NewToken) =>
    appliance.fetch("/api/v1/desktops/demo/mode", { mode }, by(who.token));
  await setMode("autopilot", alice);
  const asked = setClipboard(agent);
  t.equal((await answer(await question(), { decision: "deny" }, alice.token)).status, 200);
  t.equal(await asked, "denied_by_human");
  await setMode("autopilot", bob);
  t.equal(await setClipboard(agent), "done");
});

for (const width of [1440, 390]) {
  t.test(`the card says whose agent it is, ${width} px wide`, { timeout: 600_000 }, async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const { appliance, alice, bob, agent } = await openHouse(t);
    const browser = await openBrowser(t);
    const viewport = { width, height: 900 };
    const open = async (token: string) => {
      const { page } = await signIn(browser, { url: appliance.url, adminToken: token }, { viewport });
      await page.goto(`${appliance.url}/approvals`);
      return page;
    };
    const hers = await open(alice.token);
    const his = await open(bob.token);
    const work = setClipboard(agent);
    await hers.getByRole("note").waitFor();
    t.match(await hers.getByRole("note").innerText(), /^bot is yours: somebody else has to approve this/);
    await hers.getByRole("button", { name: "Take over T" }).and(hers.locator(":enabled")).waitFor();
    t.ok(await hers.getByRole("button", { name: "Approve A" }).isDisabled());
    t.ok(await hers.getByRole("button", { name: "Allow for 10 min" }).isDisabled());
    await hers.getByRole("article").press("a");
    await looksWell(t, hers, "four-eyes-card");
    t.equal(await his.getByRole("note").count(), 0);
    await his.getByRole("button", { name: "Approve A" }).click();
    t.equal(await work, "done");
  });
}
