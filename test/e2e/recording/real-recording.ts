import { randomOf } from "../../recording/studio.ts";
import type { Owner } from "../../support/program.ts";
import { BY, RecordingDesk, sha1 } from "../../support/recording-desk.ts";
import { XDisplay } from "../harness/x-display.ts";
import { RealSession } from "./real-session.ts";

/** The default of `recording.budget_mb_per_min`. */
const BYTES_PER_MINUTE = 20_000_000;

/** A session that was recorded, and what was shown while it was. */
export interface RealRecording {
  readonly desk: RecordingDesk;
  readonly id: string;
  readonly durationMs: number;
  readonly bytes: number;
  readonly frames: number;
}

/**
 * Records a real session for so long, as the appliance does by default. What was live is remembered by the hash of the
 * desktop's own frame at each of its generations, which the recorder has no hand in.
 */
export async function recordReal(
  owner: Owner,
  folder: string,
  dataDir: string,
  seconds: number,
): Promise<RealRecording> {
  const display = await XDisplay.start(owner, { geometry: "1280x800" });
  const session = await RealSession.open(owner, display, folder);
  const desk = await RecordingDesk.open(owner, { port: display.vncPort }, dataDir, {
    bytesPerMinute: BYTES_PER_MINUTE,
  });
  desk.remember();
  const { id } = await desk.recordings.start("d1", BY);
  const elapsedMs = (): number => desk.recordings.runningOn("d1")?.durationMs ?? 0;
  await session.work(() => elapsedMs() >= seconds * 1000);
  const { durationMs, bytes, counts } = await desk.recordings.stop(id);
  return { desk, id, durationMs, bytes, frames: counts.frames };
}

/** One of many random times: what stood there, and what the server took to give it from files opened anew. */
export interface Sample {
  readonly atMs: number;
  /** null: it is the live picture of that generation in every pixel. */
  readonly fault: string | null;
  readonly generation: number;
  readonly sha1: string;
  readonly openMs: number;
  readonly frameMs: number;
}

/** Looks at random times, each from files opened anew; what the system holds in its cache stays there. */
export async function sampleReal(
  { desk, id, durationMs }: RealRecording,
  count: number,
  seed: number,
): Promise<Sample[]> {
  const random = randomOf(seed);
  const samples: Sample[] = [];
  for (let i = 0; i < count; i++) {
    const atMs = Math.floor(random() * durationMs);
    const startMs = performance.now();
    const reader = await desk.recordings.open(id);
    const openedMs = performance.now();
    const frame = await reader.frameAt(atMs);
    const doneMs = performance.now();
    await reader.close();
    const hash = sha1(frame.rgba);
    const live = desk.shown.get(frame.generation);
    samples.push({
      atMs,
      fault: faultOf(frame, atMs, hash, live),
      generation: frame.generation,
      sha1: hash,
      openMs: openedMs - startMs,
      frameMs: doneMs - startMs,
    });
  }
  return samples;
}

function faultOf(
  frame: { readonly atMs: number; readonly isExact: boolean; readonly generation: number },
  atMs: number,
  hash: string,
  live: string | undefined,
): string | null {
  const what = `at ${atMs} ms, generation ${frame.generation}`;
  if (live === undefined) return `${what}: never shown`;
  if (!frame.isExact) return `${what}: parts of it were left for later`;
  if (hash !== live) return `${what}: other pixels than were shown`;
  return frame.atMs > atMs && frame.atMs > 1000 ? `${what}: a picture of later, ${frame.atMs} ms` : null;
}
