// `npm run test:recording:real`: a real session of OC_REAL_MINUTES (10) is recorded and looked at at 200 random times,
// on the server and in the browser, and so is one of 8 hours that is made at speed. Fails where a pixel differs; times
// are printed, with the load of the machine. Needs the built appliance.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { openBrowser } from "../test/e2e/harness/browser.ts";
import { seekCold } from "../test/e2e/recording/browser-seek.ts";
import { recordReal, sampleReal } from "../test/e2e/recording/real-recording.ts";
import { makeLongRecording } from "../test/recording/long-recording.ts";
import { sha1 } from "../test/support/recording-desk.ts";
import { summary } from "./stopwatch.ts";

const MINUTES = Number(process.env["OC_REAL_MINUTES"] ?? 10);
const SAMPLES = 200;
const SEEKS = 100;
const HOURS = 8;
const SIZE = { width: 1920, height: 1080 };

const folder = mkdtempSync(join(tmpdir(), "oc-real-"));
const dataDir = join(folder, "data");
mkdirSync(dataDir);
const teardowns: (() => unknown)[] = [
  () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }),
];
const owner = { teardown: (call: () => unknown) => void teardowns.push(call) };
const faults: string[] = [];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** "p50 12 ms, p95 40 ms of 200" */
function timesOf(list: readonly number[]): string {
  const { p50, p95, runs } = summary(list);
  return `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${runs}`;
}

function load(): string {
  return `load of the machine ${loadavg()[0]?.toFixed(1)}`;
}

interface Truth {
  readonly atMs: number;
  readonly sha1: string;
}

/** All of a real session is over before anything is timed: its programs would take the CPU. */
async function realSession(): Promise<{ readonly id: string; readonly truths: readonly Truth[] }> {
  const own: (() => unknown)[] = [];
  try {
    const session = { teardown: (call: () => unknown) => void own.push(call) };
    const real = await recordReal(session, folder, dataDir, MINUTES * 60);
    const perMinute = ((real.bytes / 1e6) * 60_000) / real.durationMs;
    say(`recorded ${real.durationMs} ms, ${real.frames} pictures, ${perMinute.toFixed(1)} MB a minute`);
    const samples = await sampleReal(real, SAMPLES, Date.now() % 1_000_000);
    const wrong = samples.flatMap(({ fault }) => (fault === null ? [] : [fault]));
    faults.push(...wrong);
    say(`${SAMPLES - wrong.length} of ${SAMPLES} random times are what was live, in every pixel`);
    const { state, problem } = await real.desk.recordings.verify(real.id);
    if (state !== "sealed") faults.push(`the recording is ${state}: ${problem}`);
    return { id: real.id, truths: samples };
  } finally {
    for (const teardown of own.reverse()) await teardown();
  }
}

try {
  const real = await realSession();
  const long = await makeLongRecording(dataDir, HOURS * 3600, SIZE);
  const seconds = [...long.truth];
  const longTruths = Array.from({ length: SAMPLES }, () => {
    const [second, hash] = seconds[Math.floor(Math.random() * seconds.length)] ?? [0, ""];
    return { atMs: second * 1000 + Math.floor(Math.random() * 1000), sha1: hash };
  });
  const cases = [
    { name: `${MINUTES} minutes`, id: real.id, truths: real.truths },
    { name: `${HOURS} hours`, id: long.id, truths: longTruths },
  ];
  for (const { name, id, truths } of cases) {
    const times: number[] = [];
    const work: number[] = [];
    for (const { atMs, sha1: wanted } of truths) {
      const startMs = performance.now();
      const before = process.cpuUsage();
      const reader = await long.archive.read(id);
      const frame = await reader.frameAt(atMs);
      times.push(performance.now() - startMs);
      const { user, system } = process.cpuUsage(before);
      work.push((user + system) / 1000);
      await reader.close();
      if (sha1(frame.rgba) !== wanted) faults.push(`${name}: another picture at ${atMs} ms`);
    }
    say(`server, ${name}, files opened anew, system cache warm: ${timesOf(times)}; ${load()}`);
    say(`of it CPU, all threads, which other programs do not lengthen: ${timesOf(work)}`);
  }
  const appliance = await Appliance.start(owner, { args: ["--data-dir", dataDir, "--demo"] });
  const browser = await openBrowser(owner);
  for (const { name, id, truths } of cases) {
    const chosen = truths.slice(0, SEEKS);
    const moments = chosen.map(({ atMs }) => atMs);
    const { seeks, complaints } = await seekCold(browser, appliance, id, moments);
    faults.push(...complaints);
    for (const [i, seek] of seeks.entries()) {
      if (seek.sha1 !== chosen[i]?.sha1)
        faults.push(`${name}: the canvas has other pixels at ${seek.atMs} ms`);
    }
    const times = seeks.map(({ tookMs }) => tookMs);
    say(`browser, ${name}, cold context each: ${timesOf(times)}; ${load()}`);
  }
} finally {
  for (const teardown of teardowns.reverse()) await teardown();
}
for (const fault of faults) say(fault);
if (faults.length > 0) process.exitCode = 1;
