import type { Clock } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import { commitSurely } from "../store/commit-surely.ts";
import type { Change, ClusterStore, Outcome } from "../store/store.ts";
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

/** A moment, and how often the clocks had gone back until then. */
interface Sent {
  readonly moment: Moment;
  readonly jumps: number;
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
  #taken = 0n;
  /** What the clocks said when they were last looked at, and how often they went back since. */
  #looked: Moment;
  #jumps = 0;
  /** Of the last renewal that is known to be done: when it was sent. */
  #since: Sent | null = null;
  /** A renewal whose outcome is not known. */
  #open: { readonly value: string; readonly since: Sent } | null = null;
  #isLost = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#looked = momentOf(options.leaseClock);
  }

  /** False where what has to be done `beside` it in one commit cannot be. Throws StoreError. */
  async take(beside: readonly Change[] = []): Promise<boolean> {
    const { store, clock, key } = this.#options;
    const since = this.#now();
    const change = { kind: "create", key, value: this.#nextValue() } as const;
    const outcome = await commitSurely(store, [change, ...beside], { clock, withinMs: TAKE_WITHIN_MS });
    if (!outcome.isDone) {
      if (outcome.found[0] === null) return false;
      throw new StoreError("invalid", `the lease ${key} was used before`);
    }
    [this.#revision, this.#taken] = [outcome.revision, outcome.revision];
    this.#since = since;
    return true;
  }

  /** True where it was acknowledged. Never rejects for what may be well again; one call at a time. */
  async renew(): Promise<boolean> {
    if (this.#isLost || this.#since === null) return false;
    const { store, key } = this.#options;
    const since = this.#now();
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

  /** Ends it, and does what has to be done `beside` that; others need not wait. */
  async release(beside: readonly Change[] = []): Promise<void> {
    const { store, clock, key } = this.#options;
    if (this.#isLost || this.#since === null) return;
    this.#isLost = true;
    const change = { kind: "delete", key, revision: this.#revision } as const;
    await commitSurely(store, [change, ...beside], { clock, withinMs: this.#options.timing.leaseMs });
  }

  /** For so long it is surely held, by both clocks; 0: others may have ended it. */
  get remainingMs(): number {
    const { jumps } = this.#now();
    // By a clock that went back too little would have passed once it is as far again.
    if (this.#isLost || this.#since === null || this.#since.jumps !== jumps) return 0;
    const { leaseClock, timing } = this.#options;
    return Math.max(0, timing.leaseMs - timing.marginMs - mostPassedMs(leaseClock, this.#since.moment));
  }

  /** Somebody ended it: it does not come back. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Of what was written in the commit that took it. */
  get takenRevision(): bigint {
    return this.#taken;
  }

  /** Of its record, as known here. */
  get revision(): bigint {
    return this.#revision;
  }

  #now(): Sent {
    const { leaseClock } = this.#options;
    if (mostPassedMs(leaseClock, this.#looked) === Number.POSITIVE_INFINITY) this.#jumps++;
    this.#looked = momentOf(leaseClock);
    return { moment: this.#looked, jumps: this.#jumps };
  }

  #nextValue(): string {
    return this.#options.recordOf(++this.#nth);
  }
}
