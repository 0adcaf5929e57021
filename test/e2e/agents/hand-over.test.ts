import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, decodePicture, openBrowser, signIn } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";

/** Nothing else on the desktop has this colour. */
const SECRET = [0xfe, 0x01, 0xa7] as const;
const SECRET_CSS = "#fe01a7";
const REASON = "Log in to the mail account, please <b>now</b>";
const ANSWER = "done, the code was mole-hill";

const asked = z.object({ request_id: z.string(), expires_at: z.string() });
const subscribed = z.object({ subscription_id: z.string() });
const polled = z.object({ events: z.array(z.looseObject({ type: z.string() })) });
const started = z.object({ recording_id: z.string() });

function isSecret({ rgba }: Shot): boolean {
  for (let i = 0; i < rgba.length; i += 4) {
    if (SECRET.every((channel, at) => Math.abs((rgba[i + at] ?? 0) - channel) <= 24)) return true;
  }
  return false;
}

/** What a call is refused with; "done" where it is not. */
async function codeOf(agent: Agent, tool: string, args: Record<string, unknown> = {}): Promise<string> {
  const { structuredContent } = z
    .looseObject({ structuredContent: z.looseObject({ error: z.object({ code: z.string() }).optional() }) })
    .parse(await agent.raw(tool, args));
  return structuredContent.error?.code ?? "done";
}

t.test(
  "a person takes over in private, and of that time an agent and a recording have seen nothing",
  { timeout: 400_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool", "chromium"])) return;
    const display = await XDisplay.start(t, { geometry: "800x600" });
    await display.command("xsetroot", "-solid", "#205080");
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const { recording_id } = started.parse(await agent.call("start_recording"));
    const { subscription_id } = subscribed.parse(
      await agent.call("subscribe_events", { events: ["request_ended", "key_press", "screen_change"] }),
    );
    const poll = async (): Promise<z.infer<typeof polled>["events"]> =>
      polled.parse(await agent.call("poll_events", { subscription_id })).events;
    const { request_id } = asked.parse(
      await agent.call("request_human", { reason: REASON, kind: "login", private: true }),
    );
    t.equal(await codeOf(agent, "request_human", { reason: "again", kind: "code" }), "too_many");
    const [desktop] = z
      .array(z.object({ id: z.string() }))
      .parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const own = { headers: { authorization: `Bearer ${appliance.agentToken}` } };
    const address = `${appliance.url}/api/v1/requests/${request_id}`;

    /** A resource as the agent reads it, or why it may not. */
    const read = async (uri: string): Promise<string> => {
      const answer = await fetch(`${appliance.url}/mcp`, {
        method: "POST",
        headers: {
          ...own.headers,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } }),
      });
      return await answer.text();
    };

    const { page, complaints } = await signIn(await openBrowser(t), appliance);
    await page.goto(`${appliance.url}/desktops/${desktop?.id}`);
    const card = page.locator(`[data-request-id="${request_id}"]`);
    await card.waitFor();
    t.equal(await card.locator("blockquote").innerText(), REASON, "as text, whatever it holds");
    t.equal(await card.locator("input[type=checkbox]").isChecked(), true, "as the agent proposes");
    const pictures = process.env["OC_PICTURES"];
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, "asked.png") });
    }
    t.same(await accessibilityFaults(page, `[data-request-id="${request_id}"]`), []);

    await t.test("the agent itself takes and ends nothing", async (t) => {
      for (const what of ["take", "done", "decline"]) {
        const answer = await fetch(address, {
          method: "POST",
          headers: { ...own.headers, "content-type": "application/json" },
          body: JSON.stringify({ do: what }),
        });
        t.equal(answer.status, 403, what);
      }
    });

    await card.getByRole("button", { name: "Take over" }).click();
    await card.getByText("You are at it. Private").waitFor();
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, "taken.png") });
    await poll();
    const script = "printf 'Secret 4711 code\\033[?25l'; exec sleep 600";
    const secret = ["-T", "secret", "-bg", SECRET_CSS, "-fg", "white", "-geometry", "30x8+100+100"];
    display.program("xterm", ...secret, "-e", "sh", "-c", script);
    const screenshot = `/api/v1/desktops/${desktop?.id}/screenshot.png`;
    await until("the person sees it", async () =>
      isSecret(await decodePicture(Buffer.from(await (await appliance.fetch(screenshot)).arrayBuffer()))),
    );

    await t.test("meanwhile every way of looking is refused", { timeout: 150_000 }, async (t) => {
      const region = { x: 100, y: 100, width: 200, height: 100 };
      const ways: readonly (readonly [string, Record<string, unknown>])[] = [
        ["take_screenshot", {}],
        ["zoom", { region }],
        ["read_text", {}],
        ["find_text", { text: "Secret" }],
        ["get_elements", {}],
        ["ocr_screenshot", {}],
        ["wait_for", { condition: "change", timeout_ms: 1000 }],
        ["click_at", { x: 10, y: 10 }],
        ["get_clipboard", {}],
        ["computer", { action: "screenshot" }],
      ];
      for (const [tool, args] of ways) {
        const code = await codeOf(agent, tool, args);
        t.equal(code, "private_time", tool);
      }
      t.equal((await fetch(`${appliance.url}${screenshot}`, own)).status, 409, "by REST");
      t.match(await read(`screen://${desktop?.id}`), /private_time/);
      await agent.call("session_stop");
      t.equal(await codeOf(agent, "take_screenshot"), "private_time", "a stop ends nothing");
      await appliance.fetch(`/api/v1/desktops/${desktop?.id}/resume`, {});
      await page.mouse.click(300, 300);
      await page.keyboard.type("hunter2");
      t.same(
        (await poll()).filter(({ type }) => type !== "screen_change"),
        [],
        "keys are not even counted",
      );
    });

    await display.command("xdotool", "search", "--name", "^secret$", "windowkill");
    await until("it is gone", async () => {
      const picture = await appliance.fetch(screenshot);
      return !isSecret(await decodePicture(Buffer.from(await picture.arrayBuffer())));
    });
    await card.getByLabel("Answer to the agent").fill(ANSWER);
    await card.getByRole("button", { name: "Done" }).click();
    await card.waitFor({ state: "detached" });

    const told = (await poll()).filter(({ type }) => type === "request_ended");
    t.match(told, [{ request_id, state: "done", answer: ANSWER }]);
    t.match(await read(`requests://${request_id}`), ANSWER);
    t.notOk(isSecret(await agent.shot()), "afterwards it sees what is there then");
    const { duration_ms } = z
      .object({ duration_ms: z.number() })
      .parse(await agent.call("stop_recording", { recording_id }));
    for (let i = 0; i <= 8; i++) {
      const atMs = Math.round((duration_ms * i) / 8);
      const frame = await appliance.fetch(`/api/v1/recordings/${recording_id}/frame.png?at_ms=${atMs}`);
      const picture = await decodePicture(Buffer.from(await frame.arrayBuffer()));
      t.notOk(isSecret(picture), `recorded at ${atMs} ms`);
    }
    const audit = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
    for (const type of ["asked", "taken", "done"]) t.match(audit, `"event_type":"request.${type}"`);
    t.match(audit, '"action":"login private"');
    t.notMatch(audit, /mole-hill|hunter2/, "no answer and no key");
    t.same(complaints, []);
  },
);
