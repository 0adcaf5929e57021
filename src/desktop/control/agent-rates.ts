import type { Clock } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";

/** What a call is counted as. */
export type RateClass =
  | "screenshot"
  | "input"
  | "autopilot_input"
  | "overlay"
  | "connection_test"
  | "default";

interface Rate {
  /** Calls that may come at once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** Requirement R1: per principal and desktop. A class with two rates must satisfy both. */
const RATES: Readonly<Record<RateClass, readonly Rate[]>> = {
  screenshot: [
    { burst: 60, perSecond: 1 },
    { burst: 10, perSecond: 10 },
  ],
  input: [{ burst: 10, perSecond: 5 }],
  autopilot_input: [{ burst: 40, perSecond: 20 }],
  overlay: [{ burst: 40, perSecond: 20 }],
  connection_test: [{ burst: 10, perSecond: 10 / 60 }],
  default: [{ burst: 20, perSecond: 10 }],
};

/** Beyond this many callers the longest unused are forgotten: a bucket unused for a minute is full anyway. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  readonly rates: readonly Rate[];
  readonly tokens: number[];
  atMs: number;
}

/** Token buckets of all principals and desktops, whichever face an agent comes by. */
export class AgentRates {
  readonly #clock: Clock;
  readonly #isOn: boolean;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, isOn: boolean) {
    this.#clock = clock;
    this.#isOn = isOn;
  }

  /**
   * Counts `count` calls at once; more than the burst are let through when the bucket is full, and paid back by
   * waiting afterwards. Throws RefusedError rate_limited with `retryAfterMs`. The returned function gives the call
   * back, for those that turn out to cost nothing (a screenshot that had not changed).
   */
  take(rateClass: RateClass, principalId: string, desktopId: string, count = 1): () => void {
    if (!this.#isOn) return () => {};
    const bucket = this.#bucket(rateClass, `${rateClass}\n${principalId}\n${desktopId}`);
    let waitMs = 0;
    bucket.rates.forEach(({ burst, perSecond }, i) => {
      const missing = Math.min(count, burst) - (bucket.tokens[i] ?? 0);
      if (missing > 0) waitMs = Math.max(waitMs, (missing / perSecond) * 1000);
    });
    if (waitMs > 0) {
      throw new RefusedError(
        "rate_limited",
        `too many ${NAMES[rateClass]}, got more than ${limits(bucket)}`,
        {
          retryAfterMs: Math.ceil(waitMs),
        },
      );
    }
    this.#add(bucket, -count);
    return () => this.#add(bucket, count);
  }

  #bucket(rateClass: RateClass, key: string): Bucket {
    const nowMs = this.#clock.nowMs();
    const rates = RATES[rateClass];
    const bucket = this.#buckets.get(key) ?? { rates, tokens: rates.map(({ burst }) => burst), atMs: nowMs };
    const passedMs = nowMs - bucket.atMs;
    rates.forEach(({ burst, perSecond }, i) => {
      bucket.tokens[i] = Math.min(burst, (bucket.tokens[i] ?? 0) + (passedMs * perSecond) / 1000);
    });
    bucket.atMs = nowMs;
    // A Map keeps insertion order: putting it back makes it the newest.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_BUCKETS) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return bucket;
  }

  #add(bucket: Bucket, amount: number): void {
    bucket.rates.forEach(({ burst }, i) => {
      bucket.tokens[i] = Math.min(burst, (bucket.tokens[i] ?? 0) + amount);
    });
  }
}

const NAMES: Readonly<Record<RateClass, string>> = {
  screenshot: "screenshots",
  input: "input actions",
  autopilot_input: "input actions",
  overlay: "overlay calls",
  connection_test: "connection tests",
  default: "calls",
};

function limits(bucket: Bucket): string {
  return bucket.rates
    .map(({ burst, perSecond }) => {
      const rate = perSecond < 1 ? `${Math.round(perSecond * 60)} a minute` : `${perSecond} a second`;
      return `${burst} at once and ${rate}`;
    })
    .join(", or ");
}
