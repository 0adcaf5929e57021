import { setTimeout as pause } from "node:timers/promises";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { openIdleDesktops } from "./idle-desktops.ts";
import { judged, type Line } from "./line.ts";

const FRAMEBUFFER_BYTES = 1920 * 1080 * 4;
const MEGABYTE = 1e6;
/** How long the memory is watched for its lowest, after the desktops came to rest. */
const REST_MS = 4000;
const LOOKS = 20;

/** P13: what one more desktop at rest takes: the slope between one and many. */
export async function benchIdleMemory(owner: Owner, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  await display.command("xsetroot", "-mod", "5", "3", "-fg", "#335577", "-bg", "#ddeeff");
  const many = isShort ? 3 : 9;
  const one = await residentBytes(owner, display, 1, isShort);
  const all = await residentBytes(owner, display, many, isShort);
  return [
    judged({
      id: "P13",
      metric: `memory of one more idle 1080p desktop (slope from 1 to ${many})`,
      unit: "MB",
      ours: (all - one) / (many - 1) / MEGABYTE,
      peer: "one framebuffer",
      theirs: FRAMEBUFFER_BYTES / MEGABYTE,
      goal: { atMost: 2.5 },
    }),
  ];
}

async function residentBytes(
  owner: Owner,
  display: XDisplay,
  count: number,
  isShort: boolean,
): Promise<number> {
  const appliance = await openIdleDesktops(owner, display, count);
  let least = appliance.residentBytes;
  for (let look = 0; look < (isShort ? 1 : LOOKS); look++) {
    await pause(REST_MS / LOOKS);
    least = Math.min(least, appliance.residentBytes);
  }
  await appliance.program.stop();
  return least;
}
