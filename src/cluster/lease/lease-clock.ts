import { uptime } from "node:os";

/**
 * Two clocks that nobody sets: one stands still while the machine sleeps (CLOCK_MONOTONIC), the other goes on then
 * (CLOCK_BOOTTIME). What has passed is what the faster of them says.
 */
export interface LeaseClock {
  monotonicMs(): number;
  bootMs(): number;
}

export const systemLeaseClock: LeaseClock = {
  monotonicMs: () => performance.now(),
  bootMs: () => uptime() * 1000,
};

/** The boot clock is told in hundredths of a second; one that goes back by more is another machine's. */
const BOOT_STEP_MS = 20;

/** A moment by both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly bootMs: number;
}

export function momentOf(clock: LeaseClock): Moment {
  return { monotonicMs: clock.monotonicMs(), bootMs: clock.bootMs() };
}

/** At least so much has passed; Infinity where a clock went back, as that of a machine put back to a snapshot does. */
export function mostPassedMs(clock: LeaseClock, since: Moment): number {
  const monotonic = clock.monotonicMs() - since.monotonicMs;
  const boot = clock.bootMs() - since.bootMs;
  return monotonic < 0 || boot < -BOOT_STEP_MS ? Number.POSITIVE_INFINITY : Math.max(monotonic, boot);
}

/** Not more than that has passed while this process could look; 0 where a clock went back. */
export function leastPassedMs(clock: LeaseClock, since: Moment): number {
  const monotonic = clock.monotonicMs() - since.monotonicMs;
  const boot = clock.bootMs() - since.bootMs;
  return Math.max(0, Math.min(monotonic, boot + BOOT_STEP_MS));
}
