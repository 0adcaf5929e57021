import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "../test/support/program.ts";
import { bundle } from "./bundle.ts";
import { judged, type Line } from "./line.ts";
import { Talker } from "./talker.ts";

/** Viewers beside the first one. */
const FEW = 10;
const MANY = 100;
/** The crowd of the short form. */
const SHORT_MANY = 20;

/** Those that noVNC and TigerVNC are, and those that libvncclient is. */
const KINDS = [
  ["continuous", "with continuous updates"],
  ["asking", "asking for each"],
] as const;

/** Until the engine has compiled what runs for every frame: a server runs for days. */
const SETTLE_MS = 6000;

/** CPU of a second, in milliseconds, that a server of so many viewers takes. */
interface Load {
  readonly viewers: number;
  /** Per viewer and second. */
  readonly framesPerSecond: number;
  readonly bytesPerFrame: number;
  /** CPU a frame of the picture, for all viewers, in microseconds. */
  readonly frameUs: number;
}

/** How often viewers that got nothing are waited for once more: a busy machine may let them wait. */
const MOST_TRIES = 60;

/** Of each load the least CPU of so many rounds counts, ours and the bare one in turn: what disturbs only adds. */
const ROUNDS = 3;

type Mode = "bare" | (typeof KINDS)[number][0];
const MODES: readonly Mode[] = ["bare", ...KINDS.map(([kind]) => kind)];

/** One viewer, eleven, and a hundred. */
interface Loads {
  readonly one: Load;
  readonly few: Load;
  readonly many: Load;
}

/** P7: what the next viewer costs at 30 frames a second, beside ws.send of the same bytes. */
export async function benchFanOut(owner: Owner, isShort: boolean): Promise<Line[]> {
  const crowd = isShort ? SHORT_MANY : MANY;
  const forMs = isShort ? 200 : 4000;
  const program = await bundle("fan-out-server.ts");
  const kept = new Map<"bare" | "ours", Server>();
  // Each load has a server of its own, as fresh as every other's; where no time counts one serves all of a mode.
  const load = async (mode: Mode, viewers: number, bytes: number): Promise<Load> => {
    const what = mode === "bare" ? mode : "ours";
    const server = kept.get(what) ?? (await openServer(owner, program, what, bytes));
    const result = await loadOf(owner, server, mode, viewers, forMs);
    if (isShort) kept.set(what, server);
    else server.talker.close();
    return result;
  };
  const first = await load("continuous", 1, 0);
  const bytes = Math.round(first.bytesPerFrame);
  const rounds: Record<Mode, Loads[]> = { bare: [], continuous: [], asking: [] };
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
    for (const mode of MODES) {
      if (isShort) {
        // That a crowd of this kind gets its frames is all it shows, so it stands for the smaller ones as well.
        const many = await load(mode, crowd, bytes);
        rounds[mode].push({ one: many, few: many, many });
        continue;
      }
      rounds[mode].push({
        one: await load(mode, 1, bytes),
        few: await load(mode, FEW + 1, bytes),
        many: await load(mode, crowd, bytes),
      });
    }
  }
  const bare = leastOf(rounds.bare);
  return KINDS.flatMap(([kind, words]) => compare(leastOf(rounds[kind]), words, bare));
}

function leastOf(rounds: readonly Loads[]): Loads {
  const least = (of: (loads: Loads) => Load): Load =>
    rounds.map(of).reduce((a, b) => (b.frameUs < a.frameUs ? b : a));
  return { one: least(({ one }) => one), few: least(({ few }) => few), many: least(({ many }) => many) };
}

function compare({ one, few, many }: Loads, words: string, bare: Loads): Line[] {
  const next = (few.frameUs - one.frameUs) / FEW;
  const bareNext = (bare.few.frameUs - bare.one.frameUs) / FEW;
  const encode = Math.max(0, one.frameUs - bare.one.frameUs);
  const kilobytes = (few.bytesPerFrame / 1000).toFixed(0);
  return [
    judged({
      id: "P7",
      metric: `CPU of the next viewer, a frame of ${kilobytes} KB, ${few.framesPerSecond.toFixed(0)} a second, ${words}`,
      unit: "us",
      ours: next,
      peer: "bare ws.send of the same bytes",
      theirs: bareNext,
      goal: { atMost: 1.3 },
    }),
    judged({
      id: "P7",
      metric: `CPU of a frame for ${many.viewers} viewers, ${many.framesPerSecond.toFixed(0)} a second, ${words}`,
      unit: "us",
      ours: many.frameUs,
      peer: `one encode and ${many.viewers} bare ws.send, ${bare.many.framesPerSecond.toFixed(0)} a second`,
      theirs: encode + bare.many.frameUs,
      goal: { atMost: 1.25 },
    }),
  ];
}

interface Server {
  readonly talker: Talker;
  readonly port: string;
}

async function openServer(
  owner: Owner,
  program: string,
  what: "bare" | "ours",
  bytes: number,
): Promise<Server> {
  const talker = new Talker(owner, program, what, `${bytes}`, "30");
  return { talker, port: await talker.line() };
}

async function loadOf(
  owner: Owner,
  { talker: server, port }: Server,
  mode: Mode,
  viewers: number,
  forMs: number,
): Promise<Load> {
  const crowd = new Talker(owner, "fan-out-viewers.ts", port, `${viewers}`, mode);
  await crowd.line();
  await pause(forMs < SETTLE_MS / 4 ? forMs : SETTLE_MS);
  await crowd.ask();
  const [cpuBefore = 0, framesBefore = 0] = await server.ask();
  const startedAtMs = performance.now();
  await pause(forMs);
  const [cpuAfter = 0, framesAfter = 0] = await server.ask();
  let [messages = 0, received = 0] = await crowd.ask();
  for (let tries = 0; messages === 0 && tries < MOST_TRIES; tries++) {
    await pause(forMs);
    [messages = 0, received = 0] = await crowd.ask();
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  crowd.close();
  if (messages === 0) throw new Error(`P7, ${mode}: ${viewers} viewers got nothing`);
  // Where frames are left out because someone cannot follow, what was delivered is what counts.
  const frames = Math.min(framesAfter - framesBefore, messages / viewers);
  return {
    viewers,
    framesPerSecond: messages / viewers / seconds,
    bytesPerFrame: received / messages,
    frameUs: (cpuAfter - cpuBefore) / frames,
  };
}
