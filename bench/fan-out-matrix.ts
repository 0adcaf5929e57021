import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "../test/support/program.ts";
import { bundle } from "./bundle.ts";
import { judged, type Line } from "./line.ts";
import { Talker } from "./talker.ts";

const COUNTS = [10, 25, 50, 100] as const;
/** Of the short form: one alone and some, each of which is decoded and compared. */
const SHORT_COUNT = 4;
const PER_SECOND = 25;
const KINDS = ["asking", "continuous"] as const;
/** After so many milliseconds at most they ask again, or confirm what they got. */
const DELAYS_MS = [0, 60] as const;
const DRAWN = ["bare", "pointer", "overlay", "pointer+overlay"] as const;
/** Until the engine has compiled what runs for every frame, of each server and of each crowd. */
const WARM_MS = 4000;
const SETTLE_MS = 1500;
const FOR_MS = 4500;
/** Of so many parts of that time the least CPU counts: what disturbs only adds. */
const PARTS = 3;
/** On a busy machine viewers take their time to read what waits for them. */
const MOST_TRIES = 60;

type Kind = (typeof KINDS)[number];
type Drawn = (typeof DRAWN)[number];

interface Crowd {
  readonly kind: Kind | "bare";
  readonly viewers: number;
  readonly delayMs: number;
}

interface Load {
  /** CPU of the server a frame of its picture. */
  readonly frameUs: number;
  readonly bytesPerMessage: number;
  /** Of the viewer that got fewest. */
  readonly picturesPerSecond: number;
  readonly age95Ms: number;
}

interface Case extends Load {
  readonly crowd: Crowd;
  readonly drawn: Drawn;
  /** One encode and as many sends. */
  readonly bareUs: number;
}

/**
 * FANOUT: viewers in step and out of step, with what is drawn in for them, by the CPU of a frame of the desktop. Every
 * viewer's bytes are decoded afterwards, and have to show what the desktop does.
 */
export async function benchFanOutMatrix(owner: Owner, isShort: boolean): Promise<Line[]> {
  const counts = isShort ? [SHORT_COUNT] : COUNTS;
  const drawings = isShort ? DRAWN.slice(-1) : DRAWN;
  const forMs = isShort ? 300 : FOR_MS;
  const cases: Case[] = [];
  const program = await bundle("fan-out-server.ts");
  for (const drawn of drawings) {
    const house = await openHouse(owner, program, "ours", 0, drawn, isShort ? 0 : WARM_MS);
    const alone = { asking: 0, continuous: 0 };
    let bytes = 0;
    // In the short form one of them tells the size of what is sent bare, and no time counts.
    for (const kind of isShort ? KINDS.slice(0, 1) : KINDS) {
      const one = await load(owner, house, { kind, viewers: 1, delayMs: 0 }, drawn, forMs);
      alone[kind] = one.frameUs;
      bytes = Math.max(bytes, Math.round(one.bytesPerMessage));
    }
    const bare = await openHouse(owner, program, "bare", bytes, "bare", isShort ? 0 : WARM_MS);
    const send = async (viewers: number): Promise<number> =>
      (await load(owner, bare, { kind: "bare", viewers, delayMs: 0 }, "bare", forMs)).frameUs;
    const one = isShort ? 0 : await send(1);
    for (const viewers of counts) {
      const many = await send(viewers);
      for (const kind of KINDS) {
        for (const delayMs of DELAYS_MS) {
          const crowd = { kind, viewers, delayMs };
          const bareUs = Math.max(0, alone[kind] - one) + many;
          cases.push({ ...(await load(owner, house, crowd, drawn, forMs)), crowd, drawn, bareUs });
          say(cases.at(-1));
        }
      }
    }
    house.server.close();
    bare.server.close();
  }
  return rows(cases);
}

/** The worst of all counts, of each kind of viewer. */
function rows(cases: readonly Case[]): Line[] {
  return KINDS.flatMap((kind) =>
    DELAYS_MS.flatMap((delayMs) => {
      const all = cases.filter(({ crowd }) => crowd.kind === kind && crowd.delayMs === delayMs);
      const words = `${kind}, ${delayMs === 0 ? "in step" : `1 to ${delayMs} ms late`}`;
      const drawings = DRAWN.filter((drawn) => all.some((one) => one.drawn === drawn));
      const cpu = drawings.map((drawn) => {
        const worst = most(
          all.filter((one) => one.drawn === drawn),
          ({ frameUs, bareUs }) => frameUs / bareUs,
        );
        return judged({
          ...{ id: "FANOUT", metric: `CPU of a frame, ${words}, ${drawn}: ${worst.crowd.viewers} viewers` },
          ...{ unit: "us", ours: worst.frameUs, theirs: worst.bareUs, goal: { atMost: 1.25 } },
          peer: "one encode and as many bare ws.send",
        });
      });
      const slowest = most(all, ({ picturesPerSecond }) => -picturesPerSecond);
      const oldest = most(all, ({ age95Ms }) => age95Ms);
      return [
        ...cpu,
        judged({
          ...{ id: "FANOUT", metric: `age of pictures, p95, ${words}: ${nameOf(oldest)}`, unit: "ms" },
          ...{ ours: oldest.age95Ms, peer: "the limit", theirs: 60, goal: { within: 60 } },
        }),
        judged({
          ...{ id: "FANOUT", metric: `time from picture to picture, ${words}: ${nameOf(slowest)}` },
          ...{ unit: "ms", ours: 1000 / slowest.picturesPerSecond, peer: `${PER_SECOND} a second` },
          // Who asks late again and again cannot take every picture.
          ...{ theirs: 1000 / PER_SECOND, goal: { atMost: delayMs > 0 && kind === "asking" ? 2 : 1.04 } },
        }),
      ];
    }),
  );
}

function most(cases: readonly Case[], of: (one: Case) => number): Case {
  return cases.reduce((a, b) => (of(b) > of(a) ? b : a));
}

function nameOf({ drawn, crowd }: Case): string {
  return `${crowd.viewers} viewers, ${drawn}`;
}

function say(one: Case | undefined): void {
  if (one === undefined) return;
  const { crowd, frameUs, bareUs, picturesPerSecond, age95Ms } = one;
  process.stderr.write(
    `${crowd.kind} ${crowd.delayMs} ms, ${nameOf(one)}: ${frameUs.toFixed(0)} us, ${(frameUs / bareUs).toFixed(2)}x, ` +
      `${picturesPerSecond} a second, ${age95Ms} ms\n`,
  );
}

interface House {
  readonly server: Talker;
  readonly port: string;
}

async function openHouse(
  owner: Owner,
  program: string,
  mode: "ours" | "bare",
  bytes: number,
  drawn: Drawn,
  warmMs: number,
): Promise<House> {
  const server = new Talker(owner, program, mode, `${bytes}`, `${PER_SECOND}`, drawn);
  const port = await server.line();
  if (warmMs === 0) return { server, port };
  for (const kind of mode === "bare" ? [mode] : KINDS) {
    const crowd = new Talker(owner, "fan-out-viewers.ts", port, "10", kind);
    await crowd.line();
    await pause(warmMs);
    crowd.close();
  }
  return { server, port };
}

async function load(
  owner: Owner,
  { server, port }: House,
  { kind, viewers, delayMs }: Crowd,
  drawn: Drawn,
  forMs: number,
): Promise<Load> {
  const keep = kind === "bare" ? "" : "keep";
  const crowd = new Talker(owner, "fan-out-viewers.ts", port, `${viewers}`, kind, `${delayMs}`, drawn, keep);
  await crowd.line();
  await pause(Math.min(forMs, SETTLE_MS));
  await crowd.ask();
  const frameUs: number[] = [];
  let [cpuBefore = 0, framesBefore = 0] = await server.ask();
  for (let part = 0; part < PARTS; part++) {
    await pause(forMs / PARTS);
    const [cpuUs = 0, frames = 0] = await server.ask();
    if (frames > framesBefore) frameUs.push((cpuUs - cpuBefore) / (frames - framesBefore));
    [cpuBefore, framesBefore] = [cpuUs, frames];
  }
  if (frameUs.length === 0) throw new Error(`FANOUT: the server made no picture in ${forMs} ms`);
  let [messages = 0, received = 0] = await crowd.ask();
  for (let tries = 0; messages === 0 && tries < MOST_TRIES; tries++) {
    await pause(forMs);
    [messages = 0, received = 0] = await crowd.ask();
  }
  const used = { frameUs: Math.min(...frameUs), bytesPerMessage: received / messages };
  const judgement =
    kind === "bare" ? { picturesPerSecond: PER_SECOND, age95Ms: 0 } : await judge(server, crowd);
  crowd.close();
  await server.ask();
  return { ...used, ...judgement };
}

/** The picture stops; what everybody shows once all have caught up is compared. */
async function judge(server: Talker, crowd: Talker): Promise<Pick<Load, "picturesPerSecond" | "age95Ms">> {
  const [shown] = await server.words("stop");
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    await pause(SETTLE_MS / 3);
    const [picturesPerSecond, age95Ms, ...hashes] = await crowd.words("judge");
    if (hashes.length !== 1 || hashes[0] !== shown) continue;
    return { picturesPerSecond: Number(picturesPerSecond), age95Ms: Number(age95Ms) };
  }
  throw new Error("FANOUT: a viewer shows another picture than the desktop");
}
