import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import type { ClusterStore } from "../store/store.ts";
import { endDead } from "./node-name.ts";

const AGAIN_AFTER_MS = 50;

interface DeadLeasesOptions {
  readonly store: Pick<ClusterStore, "get" | "commit">;
  readonly clock: Clock;
  /** What all keys of the fleet begin with. */
  readonly prefix: string;
  /** For so long it is tried: others end a lease by themselves then. */
  readonly withinMs: number;
}

/**
 * Ends the leases of a process at once, so that its desktops need not wait. INVARIANT: only for one whose end the system has told
 * (who is only silent may still send). True where none is left.
 */
export async function endDeadLeases(options: DeadLeasesOptions, ids: Iterable<string>): Promise<boolean> {
  const { store, clock, prefix, withinMs } = options;
  const untilMs = clock.nowMs() + withinMs;
  for (const id of ids) {
    for (let isEnded = false; !isEnded; ) {
      try {
        await endDead(store, prefix, id);
        isEnded = true;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (clock.nowMs() >= untilMs) return false;
        await delay(clock, AGAIN_AFTER_MS);
      }
    }
  }
  return true;
}
