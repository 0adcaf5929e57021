import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import type { LeaseTiming } from "../lease/lease.ts";
import type { ClusterStore } from "../store/store.ts";
import { endDead } from "./node-name.ts";

const AGAIN_AFTER_MS = 50;

interface DeadLeasesOptions {
  readonly store: Pick<ClusterStore, "get" | "commit">;
  readonly clock: Clock;
  /** What all keys of the fleet begin with. */
  readonly prefix: string;
  readonly timing: Pick<LeaseTiming, "leaseMs" | "marginMs">;
}

/**
 * Ends the leases of a process, so that its desktops need not wait until they are over: after the margin of a lease, for what it sent
 * last is still under way, and for a lease's time at most, for then others end them. INVARIANT: only for a process whose end the
 * system has told (who is only silent may still send). How many there were; null where that is not known of all.
 */
export async function endDeadLeases(
  { store, clock, prefix, timing }: DeadLeasesOptions,
  ids: Iterable<string>,
): Promise<number | null> {
  const untilMs = clock.nowMs() + timing.leaseMs;
  await delay(clock, timing.marginMs);
  let ended = 0;
  for (const id of ids) {
    for (let isOver = false; !isOver; ) {
      try {
        if (await endDead(store, prefix, id)) ended++;
        isOver = true;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (clock.nowMs() >= untilMs) return null;
        await delay(clock, AGAIN_AFTER_MS);
      }
    }
  }
  return ended;
}
