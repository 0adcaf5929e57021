import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { openScene, requireScene } from "../targets/scene-target.ts";
import { outcome, playChangeBeforeClick, rest } from "./approval-scenario.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/** A signed-in person's page with the first desktop open. */
async function openViewer(t: Test, appliance: Appliance): Promise<Page> {
  const browser = await openBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
  const [desktop] = await rest(appliance, "/api/v1/desktops");
  await page.goto(`${appliance.url}/desktops/${desktop?.id ?? ""}`);
  await page.locator(".viewer-screen canvas").waitFor();
  return page;
}

t.test(
  "the card: approve, deny, edit, allow for a while and take over, with a real agent and a browser",
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const appliance = await Appliance.start(t, { mode: "assist" });
    const agent = await appliance.agent({ token: appliance.agentToken });
    const page = await openViewer(t, appliance);
    const card = page.locator(".approval:not(.is-settled)");
    const click = (x: number, intent = "look"): Promise<string> =>
      outcome(agent, "click_at", { x, y: 300, intent });

    const approved = click(500, "open the menu");
    await card.waitFor();
    t.match(await card.innerText(), /Click left at 500,300[\s\S]*open the menu/);
    t.match(await card.innerText(), /Void as soon as/);
    t.same(await accessibilityFaults(page, ".approval"), []);
    await card.focus();
    await card.locator(".button-primary:enabled").waitFor();
    await page.keyboard.press("a");
    t.equal(await approved, "done");

    const denied = click(500);
    await card.waitFor();
    await card.focus();
    await page.keyboard.press("d");
    t.equal(await denied, "denied_by_human");

    const edited = agent.call("click_at", { x: 500, y: 300, effect_timeout_ms: 0 });
    await card.waitFor();
    await card.getByRole("button", { name: "Edit" }).click();
    await card.getByLabel("x", { exact: true }).fill("520");
    await card.getByRole("button", { name: "Approve the change" }).click();
    t.same((await edited)["actual_position"], { x: 520, y: 300 });

    const allowed = click(500);
    await card.waitFor();
    await card.getByRole("button", { name: "Allow for 10 min: Click left here" }).click();
    t.equal(await allowed, "done");
    t.equal(await click(510), "done", "near by it is not asked again");

    const taken = click(50);
    await card.waitFor();
    await card.locator(".button-primary:enabled").waitFor();
    await card.focus();
    await page.keyboard.press("t");
    t.equal(await taken, "human_in_control");
    await page.getByText("You hold the input").waitFor();
    t.equal(await click(510), "human_in_control");
    await page.getByRole("button", { name: "Give back" }).click();
    await page.getByText("You hold the input").waitFor({ state: "detached" });
    t.equal(await click(510), "done");
  },
);

t.test("each question shows its own picture, and leaves the queue when it was answered", async (t) => {
  if (!requireScene(t, "tigervnc", ["chromium"])) return;
  const target = await openScene(t, "tigervnc");
  const appliance = await Appliance.start(t, { connect: [target.url], mode: "assist" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const display = await target.display();
  const page = await openViewer(t, appliance);
  const card = page.locator(".approval:not(.is-settled)");
  const colour = (): Promise<string> =>
    page.evaluate<string>(`(async () => {
      const image = document.querySelector(".approval:not(.is-settled) img");
      await image.decode();
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(2, 2, 1, 1).data].join();
    })()`);
  const shown: string[] = [];
  for (const name of ["#ff0000", "#008000"]) {
    await display.command("xsetroot", "-solid", name);
    await until("the new colour", async () => {
      const { rgba } = await agent.shot();
      return rgba[0] === Number.parseInt(name.slice(1, 3), 16);
    });
    const asked = outcome(agent, "click_at", { x: 500, y: 300 });
    await card.waitFor();
    shown.push(await colour());
    await card.focus();
    await page.keyboard.press("d");
    t.equal(await asked, "denied_by_human");
  }
  t.same(shown, ["255,0,0,255", "0,128,0,255"]);

  const asked = outcome(agent, "click_at", { x: 500, y: 300 });
  await card.getByRole("button", { name: "Deny" }).focus();
  await page.keyboard.press("Enter");
  t.equal(await asked, "denied_by_human");
  await page.locator(".approval").first().waitFor({ state: "detached" });

  const added = agent.call("add_connection", { name: "third", host: "10.0.0.3", protocol: "vnc" });
  await card.waitFor();
  t.match(
    await card.innerText(),
    /10\.0\.0\.3/,
    "what is asked about no desktop yet is seen in every viewer",
  );
  const refused = t.rejects(added, { code: "denied_by_human" });
  await card.focus();
  await page.keyboard.press("d");
  await refused;

  const path = [
    { x: 500, y: 100 },
    { x: 500, y: 260 },
  ];
  const dragged = outcome(agent, "drag", { path });
  await card.locator("img").waitFor();
  const stretch = await page.evaluate<number>(`(async () => {
    const image = document.querySelector(".approval:not(.is-settled) img");
    await image.decode();
    const { width, height } = image.getBoundingClientRect();
    return (width / height) / (image.naturalWidth / image.naturalHeight);
  })()`);
  t.ok(Math.abs(stretch - 1) < 0.02, `a high picture is not stretched, got ${stretch}`);
  await card.focus();
  await page.keyboard.press("d");
  t.equal(await dragged, "denied_by_human");
});

t.test("the link to one approval shows it, however many wait above it", async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { mode: "assist" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  for (const x of [480, 490, 500, 510, 520]) void outcome(agent, "click_at", { x, y: 300 });
  const waiting = await until("five questions", async () => {
    const approvals = await rest(appliance, "/api/v1/approvals");
    return approvals.length === 5 ? approvals : null;
  });
  const last = waiting.at(-1)?.id ?? "";
  const browser = await openBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
  await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
  await page.goto(`${appliance.url}/approvals`);
  await page.locator("button.approval-line").nth(3).waitFor();
  const front = (): Promise<string | null> =>
    page.locator(".dock .approval").getAttribute("data-approval-id");
  t.equal(await front(), waiting[0]?.id, "without the link the oldest is in front");
  await page.goto(`${appliance.url}/approvals?card=${last}`);
  await page.locator("button.approval-line").nth(3).waitFor();
  t.equal(await front(), last);
  const box = await page.locator(".dock .approval").boundingBox();
  t.ok(box && box.y >= 0 && box.y + box.height <= 700, "and all of it is in the window");
});

t.test("mouse and keys of a person at the viewer take the input from an agent at once", async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const agent = await appliance.agent({ token: appliance.agentToken });
  const page = await openViewer(t, appliance);
  const frame = page.locator(".viewer-frame");
  const long = outcome(agent, "type_text", { text: "x".repeat(400), typing_speed_wpm: 600 });
  await page.getByText("e2e holds the input").waitFor();
  await frame.hover({ position: { x: 300, y: 300 } });
  t.equal(await Promise.race([long, page.evaluate("1")]), 1, "a pointer that only moves disturbs nobody");
  await frame.click({ position: { x: 300, y: 300 } });
  t.equal(await long, "human_in_control");
  await page.getByText("You hold the input").waitFor();
  t.equal(await outcome(agent, "click_at", { x: 1, y: 1 }), "human_in_control");
});

t.test("TigerVNC: what changed between the yes and the click is not clicked", async (t) => {
  if (!requireScene(t, "tigervnc")) return;
  await playChangeBeforeClick(t, await openScene(t, "tigervnc"));
});

t.test(
  "--stdio beside a running server is that server's desktop, and keeps nothing of its own",
  async (t) => {
    const appliance = await Appliance.start(t);
    const agent = await appliance.agent();
    const [desktop] = await rest(appliance, "/api/v1/desktops");
    await agent.call("draw_overlay", { x: 1, y: 1, width: 50, height: 50, label: "seen by both" });
    const relay = new Program(t, process.execPath, [MAIN, "--stdio", "--data-dir", appliance.dataDir], {
      stdin: "pipe",
    });
    const lines = [
      {
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "relayed", version: "1" },
        },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "list_connections", arguments: {} } },
    ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    relay.endInput(Buffer.from(lines.join("")));
    await until("the relay's end", () => !relay.isRunning, 60_000);
    t.equal(relay.exitCode, 0, relay.stderr.slice(-300));
    t.match(relay.stdout, new RegExp(`"id":"${desktop?.id}"`));
    t.notMatch(relay.stderr, /Appliance serves/);

    // By the protocol of 2026-07-28 it tells of changes as well.
    const info = { name: "listens", version: "1" };
    const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const args = [MAIN, "--stdio", "--data-dir", appliance.dataDir];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    t.teardown(() => client.close());
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri);
    });
    const uri = `screen://${desktop?.id}`;
    await client.listen({ resourceSubscriptions: [uri] });
    await agent.call("click_at", { x: 300, y: 210 });
    await until("the update", () => heard.includes(uri));
    appliance.assertAlive();
  },
);
