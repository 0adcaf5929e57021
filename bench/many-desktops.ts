import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import { PlainAgent } from "../test/e2e/hostile/floods.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";
import { Tap } from "./tap.ts";
import { TurnFile, turnLine } from "./turn-file.ts";

const ALL = 60;
const MOVING = 10;
const SHORT = { all: 3, moving: 1 } as const;
/** 1080p in four bytes a pixel. */
const GEOMETRY = "1920x1080";
const SETTLE_MS = 8000;
const WATCHED_MS = 10_000;
const SHORT_MS = 500;
const LOOKS = 40;
/** On a busy machine all of it takes its time. */
const LONG_MS = 120_000;

const DESKTOPS = z.array(z.object({ id: z.string(), state: z.object({ kind: z.string() }) }));

/**
 * MANY: sixty desktops of 1080p in one process: memory of each, CPU at rest and while ten of them show text that scrolls,
 * a screenshot meanwhile, and how soon all are there after a start and after all connections were cut at once.
 */
export async function benchManyDesktops(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const { all, moving } = isShort ? SHORT : { all: ALL, moving: MOVING };
  const still = await XDisplay.start(owner, { geometry: GEOMETRY });
  const busy = await XDisplay.start(owner, { geometry: GEOMETRY });
  const stillTaps = await tapsOf(owner, still, all - moving);
  const busyTaps = await tapsOf(owner, busy, moving);
  const watchedMs = isShort ? SHORT_MS : WATCHED_MS;

  // The ten alone say what sixty would cost if those at rest were free.
  const few = await open(owner, folder, busyTaps, isShort);
  await few.appliance.program.stop();
  const many = await open(owner, folder, [...busyTaps, ...stillTaps], isShort);
  const idleMs = await many.cpuOf(watchedMs);

  const lines =
    "i=0; while :; do i=$((i+1)); echo $i $((i*7919)) lorem ipsum dolor sit amet; sleep 0.05; done";
  await busy.openTerminal("scrolls", "120x60+40+40", lines);
  // Until the terminal is full and scrolls as it does for the ten alone.
  await pause(isShort ? SHORT_MS : SETTLE_MS);
  await many.turns.longest(many.appliance);
  const movingMs = await many.cpuOf(watchedMs);
  const looks = await many.looks(isShort ? 3 : LOOKS);
  const turn = await many.turns.longest(many.appliance);

  const cutAtMs = performance.now();
  for (const tap of [...busyTaps, ...stillTaps]) tap.cut();
  await until("a desktop to notice", async () => (await many.liveCount()) < all);
  await until("all desktops back", async () => (await many.liveCount()) === all, LONG_MS);
  const stormMs = performance.now() - cutAtMs;
  await many.appliance.program.stop();

  const alone = await open(owner, folder, busyTaps, isShort);
  const aloneMs = await alone.cpuOf(watchedMs);
  await alone.appliance.program.stop();

  const what = `${all} desktops of 1080p`;
  const row = { id: "MANY" } as const;
  return [
    judged({
      ...{ ...row, metric: `${what}: memory of one more (slope from ${moving})`, unit: "MB" },
      ours: (many.residentBytes - few.residentBytes) / (all - moving) / 1e6,
      ...{ peer: "one framebuffer", theirs: 8.2944, goal: { within: 8.3 } },
    }),
    judged({
      ...{ ...row, metric: `${what}: from the start until all are there`, unit: "ms", ours: many.startMs },
      ...{ peer: `${moving} of them`, theirs: few.startMs, goal: { within: 3900 } },
    }),
    judged({
      ...{ ...row, metric: `${what}: all connections cut, until all are back`, unit: "ms", ours: stormMs },
      ...{ peer: "their start", theirs: many.startMs, goal: { within: 5800 } },
    }),
    judged({
      ...{ ...row, metric: `${what} at rest: CPU a second`, unit: "ms", ours: idleMs },
      ...{ peer: "with ten that move", theirs: movingMs, goal: { within: 10 } },
    }),
    judged({
      ...{ ...row, metric: `${what}, ${moving} move: CPU a second`, unit: "ms", ours: movingMs },
      ...{ peer: `${moving} that move alone`, theirs: aloneMs, goal: { atMost: 1.1 } },
    }),
    judged({
      ...{ ...row, metric: `${what}, ${moving} move: a screenshot, p95`, unit: "ms", ours: looks },
      ...{ peer: "longest turn meanwhile", theirs: turn.ms, goal: { within: 50 } },
    }),
    turnLine(`${what}, ${moving} move`, turn),
  ];
}

interface Opened {
  readonly appliance: Appliance;
  readonly turns: TurnFile;
  /** Until all desktops were there. */
  readonly startMs: number;
  /** The least while they came to rest. */
  readonly residentBytes: number;
  liveCount(): Promise<number>;
  /** CPU of a second, watched for so long. */
  cpuOf(watchedMs: number): Promise<number>;
  /** The 95th percentile of screenshots, of one desktop after another. */
  looks(count: number): Promise<number>;
}

async function open(owner: Owner, folder: string, taps: readonly Tap[], isShort: boolean): Promise<Opened> {
  const turns = new TurnFile(folder);
  const connect = taps.map(({ port }) => `vnc://127.0.0.1:${port}`);
  const beganMs = performance.now();
  const appliance = await Appliance.start(owner, { connect, env: turns.env });
  const desktops = async (): Promise<z.infer<typeof DESKTOPS>> =>
    DESKTOPS.parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const liveCount = async (): Promise<number> =>
    (await desktops()).filter(({ state }) => state.kind === "live").length;
  await until("all desktops", async () => (await liveCount()) === taps.length, LONG_MS);
  const startMs = performance.now() - beganMs;
  let residentBytes = appliance.residentBytes;
  for (let look = 0; look < 20; look++) {
    await pause((isShort ? SHORT_MS : SETTLE_MS) / 20);
    residentBytes = Math.min(residentBytes, appliance.residentBytes);
  }
  const agent = new PlainAgent(appliance);
  return {
    ...{ appliance, turns, startMs, residentBytes, liveCount },
    async cpuOf(watchedMs) {
      const before = cpuMs(appliance.program.pid);
      await pause(watchedMs);
      return ((cpuMs(appliance.program.pid) - before) * 1000) / watchedMs;
    },
    async looks(count) {
      const ids = (await desktops()).map(({ id }) => id);
      const times: number[] = [];
      for (let n = 0; n < count; n++) {
        const askedAtMs = performance.now();
        const end = await agent.call("take_screenshot", { connection_id: ids[n % ids.length] });
        if (end !== "done") throw new Error(`a screenshot ended with ${end}`);
        times.push(performance.now() - askedAtMs);
      }
      return summary(times).p95;
    },
  };
}

function tapsOf(owner: Owner, { vncPort }: XDisplay, count: number): Promise<Tap[]> {
  return Promise.all(Array.from({ length: count }, () => Tap.open(owner, vncPort)));
}
