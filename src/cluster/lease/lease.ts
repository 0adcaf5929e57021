import type { Clock } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import { commitSurely } from "../store/commit-surely.ts";
import type { ClusterStore, Outcome } from "../store/store.ts";
import { type LeaseClock, type Moment, momentOf, mostPassedMs } from "./lease-clock.ts";

export interface LeaseTiming {
  /** Others may end a lease that stood still for so long on their clock. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The holder stops so long before. Clocks may differ by this much of a lease, and what was begun ends within it. */
  readonly marginMs: number;
}

/** A leader of etcd that is gone costs 1.4 to 1.7 s and a request of one second: no lease ends by that. */
export const LEASE_TIMING: LeaseTiming = { leaseMs: 3500, renewMs: 500, marginMs: 500 };

const TAKE_WITHIN_MS = 10_000;

interface LeaseOptions {
  readonly store: Pick<ClusterStore, "commit">;
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  /** Never used before: a lease that ended does not come back. */
  readonly key: string;
  readonly timing: LeaseTiming;
  /** What the record says; with the number, no two are the same. */
  recordOf(nth: number): string;
}

/**
 * A record that its holder renews by its revision, and that others may end by its revision when it stood still for a whole
 * lease on their own clocks. INVARIANT: the holder counts from before it sent what was then acknowledged, others from after they saw
 * it, so that whatever the network does the holder's time is over first.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #nth = 0;
  #revision = 0n;
  /** Of the last renewal that is known to be done: when it was sent. */
  #since: Moment | null = null;
  /** A renewal whose outcome is not known. */
  #open: { readonly value: string; readonly since: Moment } | null = null;
  #isLost = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Throws StoreError. */
  async take(): Promise<void> {
    const { store, clock, leaseClock, key } = this.#options;
    const since = momentOf(leaseClock);
    const change = { kind: "create", key, value: this.#nextValue() } as const;
    const outcome = await commitSurely(store, [change], { clock, withinMs: TAKE_WITHIN_MS });
    if (!outcome.isDone) throw new StoreError("invalid", `the lease ${key} was used before`);
    this.#revision = outcome.revision;
    this.#since = since;
  }

  /** True where it was acknowledged. Never rejects for what may be well again; one call at a time. */
  async renew(): Promise<boolean> {
    if (this.#isLost || this.#since === null) return false;
    const { store, leaseClock, key } = this.#options;
    const since = momentOf(leaseClock);
    const open = this.#open ?? { value: this.#nextValue(), since };
    this.#open = open;
    let outcome: Outcome;
    try {
      outcome = await store.commit([{ kind: "update", key, value: open.value, revision: this.#revision }]);
    } catch (error) {
      if (error instanceof StoreError) return false;
      throw error;
    }
    const [found = null] = outcome.isDone ? [] : outcome.found;
    this.#open = null;
    if (outcome.isDone) {
      [this.#revision, this.#since] = [outcome.revision, since];
    } else if (found?.value === open.value) {
      // An earlier try was done, at some time since it was sent.
      [this.#revision, this.#since] = [found.revision, open.since];
    } else {
      this.#isLost = true;
      return false;
    }
    return true;
  }

  /** Ends it; others need not wait. */
  async release(): Promise<void> {
    const { store, clock, key } = this.#options;
    if (this.#isLost || this.#since === null) return;
    this.#isLost = true;
    const change = { kind: "delete", key, revision: this.#revision } as const;
    await commitSurely(store, [change], { clock, withinMs: this.#options.timing.leaseMs });
  }

  /** For so long it is surely held, by both clocks; 0: others may have ended it. */
  get remainingMs(): number {
    if (this.#isLost || this.#since === null) return 0;
    const { leaseClock, timing } = this.#options;
    return Math.max(0, timing.leaseMs - timing.marginMs - mostPassedMs(leaseClock, this.#since));
  }

  /** Somebody ended it: it does not come back. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Of its record, as known here. */
  get revision(): bigint {
    return this.#revision;
  }

  #nextValue(): string {
    return this.#options.recordOf(++this.#nth);
  }
}
