import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { PLATFORM } from "../src/appliance/open-links.ts";
import { EMPTY_RECT, rect } from "../src/framebuffer/rect.ts";
import { Region } from "../src/framebuffer/region.ts";
import { PLAIN_RFB } from "../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../src/protocols/rfb/numbers.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { PlainAgent } from "../test/e2e/hostile/floods.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { type Capture, capture, replay } from "./capture.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";
import { openChromium, scrollingPageFile, scrollingText } from "./scene.ts";
import { summary } from "./stopwatch.ts";
import { WebViewer } from "./web-viewer.ts";

const SCREEN = rect(0, 0, 1920, 1080);
const UPDATES = 40;
const SHORT_UPDATES = 6;
/** A process is quicker or slower than the next of its kind by up to a fifth, for as long as it runs: so many of each. */
const PAIRS = 5;
/** Both of a pair by turns, so often, each first every other time; the first time what runs is compiled. */
const ROUNDS = 4;
const SHORT_ROUNDS = 1;
/** An update is over when both viewers have it; one that is under masks alone comes to none. */
const LONGEST_MS = 5000;
/** What was left of the first picture, or of the last frame. */
const REST_MS = 400;
/** Of the frames so many are each followed by a screenshot. */
const SHOTS = 8;
const SHORT_SHOTS = 2;
const LONG_MS = 60_000;

/** Ten over all of the screen, each over a part of what moves and what does not, on no border of cells. */
const MASKS = Array.from({ length: 10 }, (_, i) => ({
  ...{ x: 37 + (i % 5) * 370, y: 83 + Math.floor(i / 5) * 430, width: 261, height: 57 + 20 * i },
}));

const DESKTOPS = z.array(z.object({ id: z.string(), state: z.object({ kind: z.string() }) }));

interface Viewer {
  readonly updates: number;
  /** RGBA; valid until the next update. */
  readonly picture: Uint8Array;
}

interface House {
  readonly appliance: Appliance;
  readonly agent: PlainAgent;
  /** One as browsers are, and one that gets every pixel as it is. */
  readonly viewers: readonly [Viewer, Viewer];
  /** A connection of the target, from its first picture on. */
  next(): Promise<(to: number) => void>;
}

/** What one frame of the target takes, and a screenshot. */
interface Cost {
  readonly frameMs: number;
  readonly shotsMs: readonly number[];
}

/** With ten masks, and without. */
interface Pair {
  readonly masked: number;
  readonly bare: number;
}

/**
 * MASKS: the same recorded desktop of full HD, frame by frame, to two appliances by turns, one of which hides ten places
 * from everybody: CPU of a frame with a VNC viewer and one as browsers are, and an agent's screenshot. Of several such pairs
 * the middle one.
 */
export async function benchMasks(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const taken = await movingDesktop(owner, folder, isShort ? SHORT_UPDATES : UPDATES);
  const frames: Pair[] = [];
  const shots: Pair[] = [];
  for (let nth = 0; nth < (isShort ? 1 : PAIRS); nth++) {
    const { frameMs, shotMs } = await measurePair(owner, taken, isShort);
    frames.push(frameMs);
    shots.push(shotMs);
  }
  const row = { id: "MASKS", unit: "ms", peer: "without masks", goal: { atMost: 1.1 } } as const;
  const what = "full HD that moves, ten masks";
  const lineOf = (metric: string, { masked, bare }: Pair): Line =>
    judged({ ...row, metric: `${what}: ${metric}`, ours: masked, theirs: bare });
  return [lineOf("CPU of a frame, two viewers", middleOf(frames)), lineOf("a screenshot", middleOf(shots))];
}

function middleOf(pairs: readonly Pair[]): Pair {
  const sorted = pairs.toSorted((a, b) => a.masked / a.bare - b.masked / b.bare);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("MASKS: nothing was measured");
  return middle;
}

async function measurePair(
  owner: Owner,
  taken: Capture,
  isShort: boolean,
): Promise<{ readonly frameMs: Pair; readonly shotMs: Pair }> {
  const houses = { masked: await openHouse(owner, taken, true), bare: await openHouse(owner, taken, false) };
  const costs = { masked: [] as Cost[], bare: [] as Cost[] };
  for (let round = isShort ? 0 : -1; round < (isShort ? SHORT_ROUNDS : ROUNDS); round++) {
    const order = ["masked", "bare"] as const;
    for (const which of round % 2 === 0 ? order : order.toReversed()) {
      const cost = await play(houses[which], taken, isShort ? SHORT_SHOTS : SHOTS);
      if (round >= 0) costs[which].push(cost);
    }
  }
  // The last frame may still be on its way to one of them.
  const isHidden = (): boolean => checkHidden(houses.masked, houses.bare);
  await until("what viewers show to be hidden where masks lie, and there alone", isHidden, LONG_MS);
  const least = (all: readonly Cost[]): number => Math.min(...all.map(({ frameMs }) => frameMs));
  const shot = (all: readonly Cost[]): number => summary(all.flatMap(({ shotsMs }) => shotsMs)).p50;
  return {
    frameMs: { masked: least(costs.masked), bare: least(costs.bare) },
    shotMs: { masked: shot(costs.masked), bare: shot(costs.bare) },
  };
}

/** A terminal that scrolls, and over it a browser with a page that does. */
async function movingDesktop(owner: Owner, folder: string, updates: number): Promise<Capture> {
  const display = await scrollingText(owner);
  openChromium(display, folder, await scrollingPageFile(folder));
  await display.windowOf("bench page");
  const taken = await capture(display.vncPort, [ENCODING.copyRect, ENCODING.tight], updates);
  await display.server.stop();
  return taken;
}

async function openHouse(owner: Owner, taken: Capture, hasMasks: boolean): Promise<House> {
  const { traffic, ends } = taken;
  const sockets: Socket[] = [];
  const port = await replay(owner, taken, (socket) => {
    sockets.push(socket);
    socket.write(traffic.subarray(0, ends[0]));
  });
  const appliance = await Appliance.start(owner, {
    connect: [`vnc://127.0.0.1:${port}`],
    hasVnc: true,
    env: { OC_VNC_SECURITY: "none" },
  });
  const desktops = async (): Promise<z.infer<typeof DESKTOPS>> =>
    DESKTOPS.parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const isLive = async (): Promise<boolean> => (await desktops())[0]?.state.kind === "live";
  await until("the desktop", isLive, LONG_MS);
  const base = `/api/v1/desktops/${(await desktops())[0]?.id}`;
  for (const rect of hasMasks ? MASKS : []) {
    const { status } = await appliance.fetch(`${base}/masks`, { rect, label: "Bench" });
    if (status !== 201) throw new Error(`MASKS: a mask was answered with ${status}`);
  }
  const headers = { authorization: `Bearer ${appliance.adminToken}` };
  const web = await WebViewer.open(`${appliance.url.replace("http", "ws")}/websockify?composite=0`, headers);
  owner.teardown(() => web.close());
  const viewers = [web, await openTcpViewer(owner, appliance.vncPort ?? 0)] as const;
  let plays = 0;
  const next = async (): Promise<(to: number) => void> => {
    if (plays > 0) {
      sockets.at(-1)?.destroy();
      await until("the desktop again", () => sockets.length > plays, LONG_MS);
      await until("the desktop's first picture", isLive, LONG_MS);
    }
    plays++;
    const socket = sockets.at(-1);
    return (to) => void socket?.write(traffic.subarray(ends[to - 1], ends[to]));
  };
  return { appliance, viewers, next, agent: new PlainAgent(appliance, appliance.adminToken) };
}

/** What VNC viewers ask for that compress without loss. */
function openTcpViewer(owner: Owner, port: number): Promise<Viewer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    owner.teardown(() => socket.destroy());
    const seen = {
      updates: 0,
      get picture() {
        return client.framebuffer.bytes;
      },
    };
    const client = new RfbClient(
      { password: null, encodings: [ENCODING.copyRect, ENCODING.tight], dialect: PLAIN_RFB },
      PLATFORM,
      (bytes) => socket.write(Buffer.from(bytes)),
      (event) => {
        if (event.type === "ready") client.requestUpdate(false);
        if (event.type !== "update") return;
        seen.updates++;
        if (seen.updates === 1) resolve(seen);
        client.requestUpdate(true);
      },
    );
    socket.on("data", (chunk) => client.receive(chunk, performance.now()));
    socket.once("error", reject);
  });
}

async function play(
  { appliance, agent, viewers, next }: House,
  { updates }: Capture,
  shots: number,
): Promise<Cost> {
  const send = await next();
  await pause(REST_MS);
  const pid = appliance.program.pid;
  const show = async (at: number): Promise<void> => {
    const before = viewers.map((viewer) => viewer.updates);
    send(at);
    const untilMs = performance.now() + LONGEST_MS;
    const areTold = (): boolean => viewers.every((viewer, i) => viewer.updates > (before[i] ?? 0));
    while (!areTold() && performance.now() < untilMs) await pause(1);
  };
  // The last ones are for screenshots, whose CPU is not that of frames.
  const frames = updates - 1 - shots;
  const beganMs = cpuMs(pid);
  for (let at = 1; at <= frames; at++) await show(at);
  await pause(REST_MS);
  const frameMs = (cpuMs(pid) - beganMs) / frames;
  const shotsMs: number[] = [];
  for (let at = frames + 1; at < updates; at++) {
    await show(at);
    const askedAtMs = performance.now();
    const end = await agent.call("take_screenshot", {});
    if (end !== "done") throw new Error(`MASKS: a screenshot ended with ${end}`);
    shotsMs.push(performance.now() - askedAtMs);
  }
  return { frameMs, shotsMs };
}

/** Throws where something under masks is not of one colour, or anything else is not as without them. */
function checkHidden({ viewers: [, masked] }: House, { viewers: [, bare] }: House): true {
  const [shown, real] = [masked.picture, bare.picture];
  const places = Region.from(MASKS);
  const first = MASKS[0] ?? EMPTY_RECT;
  const colour = shown.subarray((first.y * SCREEN.width + first.x) * 4).subarray(0, 3);
  for (const { x, y, width, height } of places.rects) {
    for (let row = y; row < y + height; row++) {
      for (let at = (row * SCREEN.width + x) * 4; at < (row * SCREEN.width + x + width) * 4; at++) {
        if (at % 4 < 3 && shown[at] !== colour[at % 4]) throw new Error(`MASKS: row ${row} is not hidden`);
      }
    }
  }
  for (const { x, y, width, height } of Region.of(SCREEN).subtract(places).rects) {
    for (let row = y; row < y + height; row++) {
      for (let at = (row * SCREEN.width + x) * 4; at < (row * SCREEN.width + x + width) * 4; at++) {
        if (at % 4 < 3 && shown[at] !== real[at]) throw new Error(`MASKS: row ${row} differs beside masks`);
      }
    }
  }
  return true;
}
