import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import type { Agent } from "../test/e2e/harness/mcp-client.ts";
import { type Typewriter, XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";
import { type Measure, measure, summary, type Times } from "./stopwatch.ts";
import { Tap } from "./tap.ts";

const RUNS = 150;
/** Runs that count, and runs before them that do not. */
const FULL_TYPING = { runs: 40, warmUps: 2 } as const;
const FULL_EVENTS = { runs: 60, warmUps: 2 } as const;
const SHORT = { runs: 1, warmUps: 0 } as const;

interface Runs {
  readonly runs: number;
  readonly warmUps: number;
}
/** Every printable character of ASCII, and five again. */
const TEXT = Array.from({ length: 100 }, (_, i) => String.fromCharCode(33 + (i % 94))).join("");

const EMPTY: Pick<Measure, "name"> = { name: "an empty tool call, p95" };

/** P15: what an agent waits for over HTTP MCP on TigerVNC, at its worst: the 95th percentile of each. */
export async function benchAgentLatency(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  await display.openWindowManager();
  await display.openTerminal("page", "150x50+20+20", "seq -w 1 3000 | tr '\\n' ' '; exec cat");
  const typewriter = await display.openTypewriter(folder, "80x10+900+700");
  const tap = await Tap.open(owner, display.vncPort);
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${tap.port}`] });
  const agent = await appliance.agent();
  const { x, y } = await display.placeOf(typewriter.window);
  const focus = { x: x + 20, y: y + 20 };
  await agent.call("click_at", focus);
  const { generation } = await agent.call("take_screenshot", { wait_for_stable_ms: 500 });

  const empty = { ...EMPTY, run: () => agent.call("get_display_info") };
  const click = {
    name: "click_at with effect_timeout_ms 0, p95",
    run: () => agent.call("click_at", { ...focus, effect_timeout_ms: 0 }),
  };
  const shot = {
    name: "take_screenshot, whole screen at rest, p95",
    run: () => agent.raw("take_screenshot", {}),
  };
  const unchanged = {
    name: "take_screenshot with if_changed_since, unchanged, p95",
    run: () => agent.call("take_screenshot", { if_changed_since: generation }),
  };
  const list = { name: "tools/list, the whole answer, p95", run: () => listTools(appliance) };
  const times = await measure([click, shot, unchanged, list, empty], RUNS, isShort);
  const typed = await typing(agent, typewriter, isShort ? SHORT : FULL_TYPING);
  const events = await eventsAfter(agent, display, tap, isShort ? SHORT : FULL_EVENTS);
  const row = (metric: string, ours: Times, within: number): Line => {
    const theirs = times.get(EMPTY.name)?.p95 ?? 0;
    return judged({
      ...{ id: "P15", unit: "ms", metric, ours: ours.p95, peer: EMPTY.name, theirs },
      goal: { within },
    });
  };
  const of = (name: string): Times => times.get(name) ?? summary([]);
  return [
    row(click.name, of(click.name), 10),
    row(shot.name, of(shot.name), 15),
    row(unchanged.name, of(unchanged.name), 15),
    row(list.name, of(list.name), 5),
    row("type_text of 100 characters, sent and exact, p95", typed, 50),
    row("the target sent a changed character, until poll_events tells it, p95", events, 10),
  ];
}

/** As a client asks it, without what one makes of it. */
async function listTools(appliance: Appliance): Promise<void> {
  const headers = {
    authorization: `Bearer ${appliance.adminToken}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const ask = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const answer = await appliance.fetch("/mcp", ask, { method: "POST", headers, body: JSON.stringify(ask) });
  if (!(await answer.text()).includes("take_screenshot"))
    throw new Error(`P15: tools/list gave ${answer.status}`);
}

/** The call's time; every character must arrive, which is waited for apart. */
async function typing(agent: Agent, typewriter: Typewriter, { runs, warmUps }: Runs): Promise<Times> {
  const list: number[] = [];
  for (let run = -warmUps; run < runs; run++) {
    const before = typewriter.read().length;
    const startedAt = performance.now();
    await agent.call("type_text", { text: TEXT, effect_timeout_ms: 0 });
    if (run >= 0) list.push(performance.now() - startedAt);
    await until("all that was typed", () => typewriter.read().length >= before + TEXT.length);
    const got = typewriter.read().slice(before);
    if (got !== TEXT) throw new Error(`P15: got ${JSON.stringify(got)}, expected the text that was typed`);
  }
  return summary(list);
}

const subscriptionSchema = z.object({ subscription_id: z.string() });
const polledSchema = z.object({ events: z.array(z.object({ type: z.string() })), more: z.int() });

/** From the first byte that the target sent of a change until the waiting poll has its event. */
async function eventsAfter(
  agent: Agent,
  display: XDisplay,
  tap: Tap,
  { runs, warmUps }: Runs,
): Promise<Times> {
  const subscribed = await agent.call("subscribe_events", { events: ["screen_change"] });
  const { subscription_id } = subscriptionSchema.parse(subscribed);
  const poll = async (wait_ms: number): Promise<number> => {
    const answer = polledSchema.parse(await agent.call("poll_events", { subscription_id, wait_ms }));
    return answer.events.length;
  };
  const list: number[] = [];
  for (let run = -warmUps; run < runs; run++) {
    // Nothing is left of the run before.
    while ((await poll(100)) > 0);
    const polling = poll(10_000);
    const startedAt = performance.now();
    // A character in the terminal that has the focus, typed on the target itself.
    const changed = display.command("xdotool", "key", "a");
    if ((await polling) === 0) throw new Error("P15: got no event, expected one of the change");
    const toldAt = performance.now();
    await changed;
    if (run >= 0) list.push(toldAt - tap.firstAfter(startedAt));
  }
  await agent.call("unsubscribe_events", { subscription_id });
  return summary(list);
}
