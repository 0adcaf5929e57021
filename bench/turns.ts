import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import * as z from "zod";
import { SHAPES } from "../src/compositor/shapes/list.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import {
  annotationFlood,
  type Flood,
  freehandFlood,
  jsonFlood,
  onlyDesktopId,
  overlayFlood,
  PlainAgent,
  plainAgents,
  restFlood,
  screenshotFlood,
} from "../test/e2e/hostile/floods.ts";
import { CrowdTarget } from "../test/e2e/targets/crowd-target.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";
import { TurnFile, turnLine } from "./turn-file.ts";

/** How long after the flood began a person stops the desktop. */
const STOP_AFTER_MS = 100;

/** How long after all floods the server's memory is looked at once more. */
const REST_MS = 30_000;

/**
 * TURNS, STOP, MEMORY: what floods of calls of one agent, or of five, do to the server: the longest turn of its event loop
 * in CPU time, how long a stop takes meanwhile, how much memory it takes, and how much of that it keeps. A full HD desktop
 * of single pixels.
 */
export async function benchTurns(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const target = await CrowdTarget.start(owner, 120, 67);
  const turns = new TurnFile(folder);
  const appliance = await Appliance.start(owner, {
    connect: [`vnc://127.0.0.1:${target.port}`],
    env: turns.env,
  });
  const agent = new PlainAgent(appliance);
  const id = await onlyDesktopId(appliance);
  await until("a picture", async () => (await agent.call("take_screenshot", {})) === "done", 30_000);
  const crowd = await plainAgents(appliance, isShort ? 2 : 5);
  const admin = new PlainAgent(appliance, appliance.adminToken);
  const startBytes = appliance.residentBytes;
  const lines: Line[] = [];
  const stopper = await Stopper.open(
    owner,
    `${appliance.url}/api/v1/desktops/${id}/stop`,
    appliance.adminToken,
  );
  const measure = async (name: string, run: () => Promise<unknown>): Promise<void> => {
    if (!isShort) await pause(500);
    const { ms: quietMs } = await turns.longest(appliance);
    const before = appliance.residentBytes;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, appliance.residentBytes)), 20);
    const over = run();
    await pause(STOP_AFTER_MS);
    const stopMs = await stopper.stop();
    await appliance.fetch(`/api/v1/desktops/${id}/resume`, {});
    await over;
    clearInterval(watch);
    const longest = await turns.longest(appliance);
    await admin.request("DELETE", `/api/v1/desktops/${id}/overlays`);
    lines.push(
      turnLine(name, longest),
      judged({
        id: "STOP",
        metric: `stop: ${name}`,
        unit: "ms",
        ours: stopMs,
        peer: "longest turn of the server at rest",
        theirs: quietMs,
        goal: { within: 100 },
      }),
      judged({
        id: "MEMORY",
        metric: `memory: ${name}`,
        unit: "MiB",
        ours: (most - before) / 2 ** 20,
        peer: "before",
        theirs: before / 2 ** 20,
        goal: { within: 128 },
      }),
    );
  };
  // The short form has one of each kind: whole and a part, in each format.
  const shots = isShort ? 2 : 300;
  // Moving, asked again and again by twenty.
  await measure("20 agents at one moving desktop", () =>
    Promise.all(
      Array.from({ length: isShort ? 2 : 20 }, async () => {
        for (let n = 0; n < (isShort ? 1 : 10); n++) await agent.call("take_screenshot", {});
      }),
    ),
  );
  const overlays = overlayFlood(
    SHAPES.map(({ kind }) => kind),
    isShort ? 1 : 5,
  );
  const all = (): Promise<unknown> => Promise.all(crowd.map((one) => one.flood(overlays)));
  await measure(`${crowd.length} agents at a moving desktop: ${overlays.name}`, all);
  target.rest();
  await measure(`${crowd.length} agents: ${overlays.name}`, all);
  const floods: readonly Flood[] = [
    freehandFlood(isShort ? 6 : 120),
    overlays,
    annotationFlood(await agent.look()),
    screenshotFlood("png", shots),
    screenshotFlood("jpeg", shots),
    screenshotFlood("webp", shots),
  ];
  // Four pictures of 40,000 points take a quarter of a minute: the end-to-end floods have them.
  const played = isShort ? floods.filter(({ name }) => !name.startsWith("annotate")) : floods;
  for (const flood of played) await measure(flood.name, () => agent.flood(flood));
  const rest = restFlood(id, isShort ? 6 : 300);
  await all();
  await measure(rest.name, () => agent.flood(rest));
  const json = jsonFlood(isShort ? 1 : 3);
  await measure(json.name, () => agent.flood(json));
  await pause(isShort ? 0 : REST_MS);
  lines.push(
    judged({
      id: "MEMORY",
      metric: `kept ${REST_MS / 1000} s after all floods`,
      unit: "MiB",
      ours: (appliance.residentBytes - startBytes) / 2 ** 20,
      peer: "before all of them",
      theirs: startBytes / 2 ** 20,
      goal: { within: 128 },
    }),
  );
  return lines;
}

/**
 * Stops a desktop and tells how long that took, from a thread: the flood's answers keep this one busy. It has made a
 * request before, so that loading and compiling its client does not count.
 */
class Stopper {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async open(owner: Owner, url: string, token: string): Promise<Stopper> {
    const worker = new Worker(
      `const { workerData, parentPort } = require("node:worker_threads");
       const { url, token } = workerData;
       const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
       const ask = async (path) => {
         const beganMs = performance.now();
         await (await fetch(path, { method: "POST", headers, body: "{}" })).arrayBuffer();
         return performance.now() - beganMs;
       };
       parentPort.on("message", async () => parentPort.postMessage(await ask(url)));
       ask(url.replace(/stop$/, "resume")).then(() => parentPort.postMessage("ready"));`,
      { eval: true, workerData: { url, token } },
    );
    owner.teardown(async () => void (await worker.terminate()));
    await once(worker, "message");
    return new Stopper(worker);
  }

  async stop(): Promise<number> {
    const answered = once(this.#worker, "message");
    this.#worker.postMessage("stop");
    const [ms]: unknown[] = await answered;
    return z.number().parse(ms);
  }
}
