import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Appliance } from "../test/e2e/harness/appliance.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { openIdleDesktops } from "./idle-desktops.ts";
import { judged, type Line } from "./line.ts";

/** A quiet target is asked every five seconds whether it is still there: that happens twice meanwhile. */
const WATCHED_MS = 10_000;
const SETTLING_MS = 8000;
const SHORT_MS = 500;

/**
 * P9: how often a desktop at rest wakes the server's main thread: the slope between one and many. Looking for changes
 * takes none; the question every five seconds whether the target is still there, with its answer, takes what is left.
 */
export async function benchIdleWakes(owner: Owner, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  const many = isShort ? 3 : 9;
  const one = await wakesASecond(owner, display, 1, isShort);
  const all = await wakesASecond(owner, display, many, isShort);
  return [
    judged({
      id: "P9",
      metric: `wake-ups by one more idle desktop (slope from 1 to ${many})`,
      unit: "/s",
      ours: Math.max(0, (all - one) / (many - 1)),
      peer: "the server with one",
      theirs: one,
      goal: { within: 0.5 },
    }),
  ];
}

async function wakesASecond(
  owner: Owner,
  display: XDisplay,
  count: number,
  isShort: boolean,
): Promise<number> {
  const appliance = await openIdleDesktops(owner, display, count);
  // The last of what starting left behind.
  await pause(isShort ? SHORT_MS : SETTLING_MS);
  const before = waits(appliance);
  const watchedMs = isShort ? SHORT_MS : WATCHED_MS;
  await pause(watchedMs);
  const rate = ((waits(appliance) - before) * 1000) / watchedMs;
  await appliance.program.stop();
  return rate;
}

/** How often the main thread has gone to sleep so far: each wake-up ends in one. */
function waits(appliance: Appliance): number {
  const status = readFileSync(`/proc/${appliance.program.pid}/status`, "utf8");
  return Number(status.match(/^voluntary_ctxt_switches:\s+(\d+)$/m)?.[1]);
}
