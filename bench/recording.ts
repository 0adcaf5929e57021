import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type LongRecording, makeLongRecording } from "../test/recording/long-recording.ts";
import type { Owner } from "../test/support/program.ts";
import { sha1 } from "../test/support/recording-desk.ts";
import { judged, type Line } from "./line.ts";
import { grainsOf } from "./recording-grain.ts";
import { type Scene, type Taken, takeScene } from "./recording-session.ts";

const PEER = "x264 ultrafast, 10 fps, lossy";
const MINUTE = 60;
/** The default of recording.budget_mb_per_min, which takeScene records with. */
const BUDGET_MB = 20;
/** Scenes that change all the time. */
const BUDGETED = { idle: false, typing: false, scrolling: true, dragging: true, video: true } as const;
/** How long the CPU of a desktop that is only watched is measured. */
const WATCHED_SECONDS = 10;
/** Text work is judged by a session of so long. */
const SESSION_MINUTES = 10;
const SIZE = { width: 1920, height: 1080 };

/** R1 and R2: bytes and CPU of recording, beside ffmpeg. */
export async function benchRecording(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  const scenes: readonly Scene[] = isShort
    ? ["typing"]
    : ["idle", "typing", "scrolling", "dragging", ...(hasFfplay() ? (["video"] as const) : [])];
  for (const scene of scenes) {
    const seconds = isShort ? 2 : BUDGETED[scene] ? MINUTE : 20;
    const watchedSeconds = isShort ? 0.2 : WATCHED_SECONDS;
    lines.push(...(await alone(owner, (own) => benchScene(own, folder, scene, seconds, watchedSeconds))));
  }
  return lines;
}

async function benchScene(
  owner: Owner,
  folder: string,
  scene: Scene,
  seconds: number,
  watchedSeconds: number,
): Promise<Line[]> {
  const { taken, desk } = await takeScene(owner, folder, scene, seconds, watchedSeconds);
  const report = await grainsOf(desk, taken.id);
  process.stderr.write(`${scene}: ${taken.frames} pictures, ${taken.bytes} bytes; ${report}\n`);
  const { state, problem } = await desk.recordings.verify(taken.id);
  if (state !== "sealed") throw new Error(`the recording is ${state}: ${problem}`);
  return linesOf(taken);
}

/** Ends what a scene started before the next one begins: it would take CPU from it. */
async function alone<Result>(owner: Owner, run: (own: Owner) => Promise<Result>): Promise<Result> {
  const teardowns: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (const teardown of teardowns.splice(0).reverse()) await teardown();
  };
  owner.teardown(end);
  const result = await run({ teardown: (call) => void teardowns.push(call) });
  await end();
  return result;
}

function linesOf(taken: Taken): Line[] {
  const { scene, seconds } = taken;
  const perMinute = (bytes: number): number => ((bytes / 1e6) * MINUTE) / seconds;
  const goal = BUDGETED[scene] ? BUDGET_MB : scene === "idle" ? 0.05 : 1.1;
  const ofACore = (ms: number): number => Math.max(0, ms) / 10 / seconds;
  const whole =
    scene === "typing"
      ? [
          judged({
            ...{
              id: "R1",
              metric: "recorded per minute of ten, the first picture with it, typing",
              unit: "MB",
            },
            ours: perMinute(taken.bytes - taken.firstBytes) + taken.firstBytes / 1e6 / SESSION_MINUTES,
            ...{ peer: PEER, theirs: perMinute(taken.peerBytes), goal: { within: goal } },
          }),
        ]
      : [];
  return [
    ...whole,
    judged({
      ...{
        id: "R1",
        metric: BUDGETED[scene]
          ? `recorded in a first and last minute, ${scene}`
          : `recorded per minute after the first picture, ${scene}`,
        unit: "MB",
        peer: PEER,
      },
      ...{
        ours: perMinute(taken.bytes - (BUDGETED[scene] ? 0 : taken.firstBytes)),
        theirs: perMinute(taken.peerBytes),
        goal: { within: goal },
      },
    }),
    judged({
      ...{ id: "R2", metric: `CPU of the recorder, ${scene}`, unit: "% of a core", peer: PEER },
      ours: Math.max(0.01, ofACore(taken.recordedCpuMs - taken.watchedCpuMs)),
      theirs: ofACore(taken.peerCpuMs),
      goal: scene === "idle" || scene === "typing" ? { within: 2 } : { atMost: 1 },
    }),
  ];
}

/** R3: the server's picture at a time, from files opened anew each time, of a long recording and of a short one. */
export async function benchSeek(folder: string, isShort: boolean): Promise<Line[]> {
  const made = async (name: string, seconds: number): Promise<SeekCost> => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { recursive: true });
    return await seekTimes(await makeLongRecording(dataDir, seconds, SIZE), isShort ? 5 : 100);
  };
  const short = await made("short", isShort ? 40 : 600);
  const long = await made("long", isShort ? 120 : 8 * 3600);
  const length = isShort ? "2 minutes" : "8 hours";
  const peer = isShort ? "of 40 seconds" : "of 10 minutes";
  return [
    judged({
      ...{ id: "R3", metric: `picture at a time, of ${length}, opened anew, p95`, unit: "ms" },
      ...{ ours: long.p95, peer, theirs: short.p95, goal: { within: 60 } },
    }),
    judged({
      ...{ id: "R3", metric: `CPU of a picture at a time, of ${length}, p95`, unit: "ms" },
      ...{ ours: long.cpuP95, peer, theirs: short.cpuP95, goal: { within: 60 } },
    }),
  ];
}

interface SeekCost {
  readonly p95: number;
  /** Of all threads of this process, which other programs do not lengthen. */
  readonly cpuP95: number;
}

async function seekTimes({ archive, id, truth }: LongRecording, count: number): Promise<SeekCost> {
  const seconds = [...truth.keys()];
  const times: number[] = [];
  const work: number[] = [];
  for (let i = 0; i < count; i++) {
    const second = seconds[Math.floor(Math.random() * seconds.length)] ?? 0;
    const startMs = performance.now();
    const before = process.cpuUsage();
    const reader = await archive.read(id);
    const frame = await reader.frameAt(second * 1000 + 500);
    times.push(performance.now() - startMs);
    const { user, system } = process.cpuUsage(before);
    work.push((user + system) / 1000);
    await reader.close();
    if (sha1(frame.rgba) !== truth.get(second)) throw new Error(`another picture at ${second} s`);
  }
  return { p95: p95(times), cpuP95: p95(work) };
}

function p95(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}

function hasFfplay(): boolean {
  try {
    execFileSync("ffplay", ["-version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
