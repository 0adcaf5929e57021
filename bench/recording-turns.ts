import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { rect } from "../src/framebuffer/rect.ts";
import { Region } from "../src/framebuffer/region.ts";
import { FakeLink } from "../test/desktop/fake-link.ts";
import type { Owner } from "../test/support/program.ts";
import { BY, RecordingDesk } from "../test/support/recording-desk.ts";
import { judged, type Line } from "./line.ts";

const SIZE = { width: 1920, height: 1080 };
/** What a recorder may add: measured twice, nothing differs by more without one. */
const AS_MUCH = 1.1;
/** Rounds with the recorder and without, in turn. */
const ROUNDS = 5;
/** Of a round. */
const UPDATES = 25;
const SHORT_UPDATES = 4;
const FRAME_MS = 40;
const OTHER_MS = 1000 / 60;
const NS_PER_MS = 1e6;

/** Makes the pixels of the next update; gives what tells of it. */
type Play = (link: FakeLink, step: number) => () => void;

const PLAYS: Readonly<Record<string, Play>> = {
  typing(link, step) {
    link.framebuffer.fill(rect(100 + 9 * (step % 100), 200, 9, 16), step * 7919);
    return () => painted(link, Region.of(rect(100 + 9 * (step % 100), 200, 9, 16)));
  },
  scrolling(link, step) {
    const to = rect(300, 100, 1000, 784);
    link.framebuffer.copy(300, 116, to);
    scribble(link, rect(300, 884, 1000, 16), step);
    const copies = [{ fromX: 300, fromY: 116, to }];
    return () => link.events.update({ painted: Region.of(rect(300, 884, 1000, 16)), copies, missing: 0 });
  },
  video(link, step) {
    const area = rect(500, 300, 1280, 720);
    scribble(link, area, step);
    return () => painted(link, Region.of(area));
  },
  "everything, and so a key each time"(link, step) {
    scribble(link, link.framebuffer.rect, step);
    return () => painted(link, Region.of(link.framebuffer.rect));
  },
};

/** A desktop of a target in this process, watched as by a viewer. */
interface Watched {
  readonly desk: RecordingDesk;
  readonly link: FakeLink;
}

async function openWatched(owner: Owner, folder: string): Promise<Watched> {
  const link = new FakeLink(SIZE.width, SIZE.height);
  setImmediate(() => link.goLive());
  const limits = { bytesPerMinute: 2_000_000_000, maxFps: 60 };
  const desk = await RecordingDesk.open(owner, { link: () => link }, folder, limits);
  const watcher = desk.desktop.view("viewer").watch(() => watcher.take());
  return { desk, link };
}

/** What a measure gives without a recorder and with it, in turn, the median of some rounds. */
async function paired(
  { desk }: Watched,
  isShort: boolean,
  measure: (round: number) => Promise<number>,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const without: number[] = [];
  const recorded: number[] = [];
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
    without.push(await measure(2 * round));
    const { id } = await desk.recordings.start("d1", BY);
    recorded.push(await measure(2 * round + 1));
    await desk.recordings.stop(id);
  }
  if (desk.bugs.length > 0) throw new Error("the recorder failed", { cause: desk.bugs[0] });
  return { ours: median(recorded), theirs: median(without) };
}

/** R4 and R5: how long others wait while a desktop changes, with its recorder and without, in one process. */
export async function benchRecorderTurns(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const updates = isShort ? SHORT_UPDATES : UPDATES;
  const lines: Line[] = [];
  for (const [name, play] of Object.entries(PLAYS)) {
    const watched = await openWatched(owner, join(folder, `turns-${lines.length}`));
    const turns = await paired(watched, isShort, (round) =>
      longestTurn(watched.link, play, round * updates, updates),
    );
    lines.push(
      judged({
        ...{ id: "R4", metric: `longest turn of the loop while recording, ${name}`, unit: "ms", ...turns },
        ...{ peer: "the same without recorder", goal: { atMost: AS_MUCH } },
      }),
    );
  }
  const watched = await openWatched(owner, join(folder, "turns-video"));
  const other = await openWatched(owner, join(folder, "turns-other"));
  const frames = await paired(watched, isShort, (round) =>
    frameMs(watched.link, other.link, round * updates, updates),
  );
  lines.push(
    judged({
      ...{
        id: "R5",
        metric: "from frame to frame of another desktop, beside a video that is recorded",
        unit: "ms",
      },
      ...{ ...frames, peer: "the same without recorder", goal: { atMost: AS_MUCH } },
    }),
  );
  return lines;
}

/** One desktop plays a video at 25 frames a second, the other one changes 60 times: how far its frames are apart. */
async function frameMs(video: FakeLink, other: FakeLink, from: number, updates: number): Promise<number> {
  let frames = 0;
  const startMs = performance.now();
  let dueMs = startMs;
  for (let step = from; step < from + updates; step++) {
    PLAYS["video"]?.(video, step)();
    const endMs = startMs + (step - from + 1) * FRAME_MS;
    do {
      await nextTurn();
      const nowMs = performance.now();
      if (nowMs < dueMs) continue;
      other.paint(rect((frames * 8) % 1800, 400, 100, 100), frames * 7919);
      frames++;
      // One that comes too late is not made up for.
      dueMs += Math.max(1, Math.ceil((nowMs - dueMs) / OTHER_MS)) * OTHER_MS;
    } while (performance.now() < endMs);
  }
  return (performance.now() - startMs) / frames;
}

/** Of a number of updates: what this thread worked from one turn to the next, the making of the pixels left out. */
async function longestTurn(link: FakeLink, play: Play, from: number, updates: number): Promise<number> {
  let most = 0;
  let last = workedMs();
  let isOver = false;
  const look = (): void => {
    const now = workedMs();
    most = Math.max(most, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  for (let step = from; step < from + updates; step++) {
    const tell = play(link, step);
    isOver = false;
    last = workedMs();
    setImmediate(look);
    tell();
    const endMs = performance.now() + FRAME_MS;
    while (performance.now() < endMs) await nextTurn();
    isOver = true;
    await nextTurn();
  }
  return most;
}

const BED = new Int32Array(new SharedArrayBuffer(4));

/**
 * CPU time of this thread, the first of its process, in milliseconds; other threads and other programs are not in it.
 * Linux counts it whenever the thread stops running, and else only with its tick: so it stops for a moment.
 */
function workedMs(): number {
  Atomics.wait(BED, 0, 0, 0.01);
  const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8");
  return Number(text.split(" ")[0]) / NS_PER_MS;
}

function painted(link: FakeLink, area: Region): void {
  link.events.update({ painted: area, copies: [], missing: 0 });
}

/** Pixels of a few hundred colours, other ones for each step. */
function scribble(link: FakeLink, { x, y, width, height }: ReturnType<typeof rect>, step: number): void {
  const { words } = link.framebuffer;
  let seed = step * 7919 + 1;
  for (let row = y; row < y + height; row++) {
    const start = row * SIZE.width + x;
    for (let i = start; i < start + width; i++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      words[i] = 0xff000000 + (seed >>> 24) * 0x10101;
    }
  }
}

function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;
}
