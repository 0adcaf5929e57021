// One link to a target, decoded here or in a thread, as a desktop publishes it: what that costs this process.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openTargetLink } from "../src/appliance/open-links.ts";
import { makeConnection } from "../src/desktop/connections/connection.ts";
import type { Decoding } from "../src/desktop/connections/connection-fields.ts";
import { IGNORE_EVENTS } from "../src/desktop/link.ts";
import { Framebuffer } from "../src/framebuffer/framebuffer.ts";
import { publishDamage } from "../src/framebuffer/publish.ts";
import { systemClock } from "../src/platform/clock.ts";

/** What a run gives, as JSON on stdout. */
export interface PlaceCost {
  readonly longestMs: number;
  /** The most that the main thread worked between two ticks of 1 ms: its longest turn without waits for a processor. */
  readonly mostWorkMs: number;
  readonly highMs: number;
  readonly usualMs: number;
  readonly cpuMs: number;
  readonly pagesPerSecond: number;
  readonly residentBytes: number;
}

const [place, port, warm, pages] = process.argv.slice(2);
const decoding: Decoding = place === "worker" ? "worker" : "main";

const connection = makeConnection(
  { protocol: "vnc", host: "127.0.0.1", port: Number(port), encodings: ["hextile"], decoding },
  systemClock.date(),
);
const link = openTargetLink(connection, [], { trust: "tofu", known: null });
const delay = monitorEventLoopDelay({ resolution: 1 });
let frame = new Framebuffer(1, 1, { hasKernels: true });
let seen = 0;
let sinceMs = 0;
let before = process.cpuUsage();
let workedMs = mainThreadMs();
let mostWorkMs = 0;
setInterval(() => {
  const nowMs = mainThreadMs();
  if (seen >= Number(warm)) mostWorkMs = Math.max(mostWorkMs, nowMs - workedMs);
  workedMs = nowMs;
}, 1).unref();

link.open({
  ...IGNORE_EVENTS,
  ready: () => {
    const { width, height } = link.framebuffer;
    frame = new Framebuffer(width, height, { hasKernels: true });
    link.follow(true);
  },
  update: ({ painted }) => {
    publishDamage(link.framebuffer, frame, painted);
    seen++;
    if (seen === Number(warm)) {
      delay.enable();
      before = process.cpuUsage();
      sinceMs = performance.now();
    }
    if (seen === Number(warm) + Number(pages)) finish();
  },
  closed: (error) => {
    throw error;
  },
});

function finish(): void {
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  const cost: PlaceCost = {
    longestMs: delay.max / 1e6,
    mostWorkMs,
    highMs: delay.percentile(99) / 1e6,
    usualMs: delay.percentile(50) / 1e6,
    cpuMs: (user + system) / 1000 / Number(pages),
    pagesPerSecond: (Number(pages) * 1000) / (performance.now() - sinceMs),
    residentBytes: process.memoryUsage.rss(),
  };
  link.close();
  process.stdout.write(JSON.stringify(cost));
}

/** CPU that the main thread took so far, in milliseconds. Linux. */
function mainThreadMs(): number {
  const [runNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
  return Number(runNs) / 1e6;
}
