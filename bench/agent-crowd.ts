import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { type PlainAgent, plainAgents } from "../test/e2e/hostile/floods.ts";
import { CrowdTarget } from "../test/e2e/targets/crowd-target.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";
import { TurnFile, turnLine } from "./turn-file.ts";
import { WebViewer } from "./web-viewer.ts";

const AGENTS = 20;
/** A token is made by a command, which takes its time: some agents share one. */
const TOKENS = 4;
const LOOK_EVERY_MS = 500;
const SECONDS = 15;
/** 1280x800, 10 pages a second of single pixels each. */
const TILES = [80, 50] as const;
const PAGE_EVERY_MS = 100;

const desktops = z.array(z.object({ id: z.string() }));

/**
 * AGENTS: twenty agents, each of which looks twice a second at a moving desktop of its own, beside one such agent alone:
 * how long a look takes, the longest turn of the loop, and what a viewer of the first desktop gets meanwhile.
 */
export async function benchAgentCrowd(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const count = isShort ? 2 : AGENTS;
  const seconds = isShort ? 1 : SECONDS;
  const urls: string[] = [];
  for (let i = 0; i < count; i++) {
    const { port } = await CrowdTarget.start(owner, ...TILES, PAGE_EVERY_MS);
    urls.push(`vnc://127.0.0.1:${port}`);
  }
  const turns = new TurnFile(folder);
  const appliance = await Appliance.start(owner, { connect: urls, env: turns.env });
  const agents = (await plainAgents(appliance, Math.min(count, TOKENS))).flatMap((agent) =>
    Array.from({ length: count / Math.min(count, TOKENS) }, () => agent),
  );
  const ids = desktops.parse(await (await appliance.fetch("/api/v1/desktops")).json()).map(({ id }) => id);
  const looking = agents.map((agent, i) => new LookingAgent(agent, ids[i] ?? ""));
  await until("a picture of each", async () =>
    (await Promise.all(looking.map((one) => one.look()))).every((end) => end === "done"),
  );
  const [first] = looking;
  const viewer = await WebViewer.open(`${appliance.url.replace("http", "ws")}/ws/desktops/${ids[0]}`, {
    authorization: `Bearer ${appliance.adminToken}`,
  });
  owner.teardown(() => viewer.close());
  const measure = async (all: readonly LookingAgent[]) => {
    await turns.longest(appliance);
    const before = viewer.updates;
    const beganMs = performance.now();
    const times = (await Promise.all(all.map((one, i) => one.lookFor(seconds, i / all.length)))).flat();
    return {
      p95: summary(times).p95,
      pictureMs: (performance.now() - beganMs) / Math.max(1, viewer.updates - before),
      turn: await turns.longest(appliance),
    };
  };
  const one = await measure(first === undefined ? [] : [first]);
  const crowd = await measure(looking);
  const what = `${count} agents, each at a moving desktop`;
  return [
    judged({
      id: "AGENTS",
      metric: `${what}: a screenshot, p95`,
      unit: "ms",
      ours: crowd.p95,
      peer: "one agent",
      theirs: one.p95,
      goal: { atMost: 3 },
    }),
    judged({
      id: "AGENTS",
      metric: `${what}: from picture to picture of a viewer beside`,
      unit: "ms",
      ours: crowd.pictureMs,
      peer: "beside one agent",
      theirs: one.pictureMs,
      goal: { atMost: 1.1 },
    }),
    turnLine(what, crowd.turn),
  ];
}

/** Looks twice a second at one desktop. */
class LookingAgent {
  readonly #agent: PlainAgent;
  readonly #desktopId: string;

  constructor(agent: PlainAgent, desktopId: string) {
    this.#agent = agent;
    this.#desktopId = desktopId;
  }

  look(): Promise<string> {
    return this.#agent.call("take_screenshot", { connection_id: this.#desktopId });
  }

  /** How long each look took; the first begins at `phase` (0 to 1) of the time between two. Who is late looks less often. */
  async lookFor(seconds: number, phase: number): Promise<readonly number[]> {
    const times: number[] = [];
    const startMs = performance.now() + phase * LOOK_EVERY_MS;
    const endMs = startMs + seconds * 1000;
    for (let n = 0; n === 0 || (n * LOOK_EVERY_MS < seconds * 1000 && performance.now() < endMs); n++) {
      await pause(Math.max(0, startMs + n * LOOK_EVERY_MS - performance.now()));
      const beganMs = performance.now();
      const end = await this.look();
      if (end !== "done") throw new Error(`a look ended with ${end}`);
      times.push(performance.now() - beganMs);
    }
    return times;
  }
}
