import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Owner } from "../test/e2e/program.ts";
import { sha1 } from "../test/e2e/recording-desk.ts";
import { type LongRecording, makeLongRecording } from "../test/recording/long-recording.ts";
import { judged, type Line } from "./line.ts";
import { grainsOf } from "./recording-grain.ts";
import { type Scene, type Taken, takeScene } from "./recording-session.ts";

const PEER = "x264 ultrafast, 10 fps, lossy";
const MINUTE = 60;
/** The default of recording.budget_mb_per_min, which takeScene records with. */
const BUDGET_MB = 20;
/** Scenes that change all the time. */
const BUDGETED = { idle: false, typing: false, scrolling: true, dragging: true, video: true } as const;
const SIZE = { width: 1920, height: 1080 };

/** Recording and seeking: bytes, CPU and the time to a picture, beside ffmpeg and beside a shorter recording. */
export async function benchRecording(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  const scenes: readonly Scene[] = isShort
    ? ["typing"]
    : ["idle", "typing", "scrolling", "dragging", ...(hasFfplay() ? (["video"] as const) : [])];
  for (const scene of scenes) {
    const seconds = isShort ? 3 : BUDGETED[scene] ? MINUTE : 20;
    lines.push(...(await alone(owner, (own) => benchScene(own, folder, scene, seconds))));
  }
  return [...lines, ...(await benchSeek(folder, isShort))];
}

async function benchScene(owner: Owner, folder: string, scene: Scene, seconds: number): Promise<Line[]> {
  const { taken, desk } = await takeScene(owner, folder, scene, seconds);
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
  return [
    judged({
      ...{
        id: "R1",
        metric: BUDGETED[scene]
          ? `recorded in the first minute, ${scene}`
          : `recorded per minute after the first picture, ${scene}`,
        unit: "MB",
        peer: PEER,
      },
      ...{
        ours: perMinute(taken.bytes - (BUDGETED[scene] ? taken.lastBytes : taken.firstBytes)),
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

/** The server's picture at a time, from files opened anew each time, of a long recording and of a short one. */
async function benchSeek(folder: string, isShort: boolean): Promise<Line[]> {
  const made = async (name: string, seconds: number): Promise<number> => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { recursive: true });
    return p95(await seekTimes(await makeLongRecording(dataDir, seconds, SIZE), isShort ? 5 : 100));
  };
  const short = await made("short", isShort ? 60 : 600);
  const long = await made("long", isShort ? 300 : 8 * 3600);
  const length = isShort ? "5 minutes" : "8 hours";
  return [
    judged({
      ...{ id: "R3", metric: `picture at a time, of ${length}, opened anew, p95`, unit: "ms" },
      ...{ ours: long, peer: isShort ? "of 1 minute" : "of 10 minutes", theirs: short, goal: { within: 60 } },
    }),
  ];
}

async function seekTimes({ archive, id, truth }: LongRecording, count: number): Promise<number[]> {
  const seconds = [...truth.keys()];
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const second = seconds[Math.floor(Math.random() * seconds.length)] ?? 0;
    const startMs = performance.now();
    const reader = await archive.read(id);
    const frame = await reader.frameAt(second * 1000 + 500);
    times.push(performance.now() - startMs);
    await reader.close();
    if (sha1(frame.rgba) !== truth.get(second)) throw new Error(`another picture at ${second} s`);
  }
  return times;
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
