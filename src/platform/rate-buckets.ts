import type { Clock } from "./clock.ts";

/** Keys that are counted at once; beyond it the one used longest ago starts anew. */
const MAX_KEYS = 10_000;

const PERIOD_MS = { s: 1000, min: 60_000, "15min": 900_000, h: 3_600_000 } as const;

/** Rates as people write them: "5/s", "1/s burst 60 and 10/s", "100/15min"; without a burst as many at once as in the period. */
const ONE = String.raw`[1-9]\d{0,5}/(?:s|min|15min|h)(?: burst [1-9]\d{0,5})?`;
export const RATES_TEXT = new RegExp(`^${ONE}(?: and ${ONE})?$`);

export interface Rate {
  /** As many may come at once. */
  readonly burst: number;
  readonly perMs: number;
}

/** Throws a bug for what RATES_TEXT does not match. */
export function ratesOf(text: string): readonly Rate[] {
  return text.split(" and ").map((one) => {
    const [, count, period, burst] = /^(\d+)\/(s|min|15min|h)(?: burst (\d+))?$/.exec(one) ?? [];
    if (count === undefined || !isPeriod(period)) throw new Error(`no rate: ${text}`);
    return { burst: Number(burst ?? count), perMs: Number(count) / PERIOD_MS[period] };
  });
}

function isPeriod(word: string | undefined): word is keyof typeof PERIOD_MS {
  return word !== undefined && Object.hasOwn(PERIOD_MS, word);
}

interface Bucket {
  readonly tokens: number[];
  atMs: number;
}

/** Token buckets of one limit, one for each key; where it has two rates both have to be kept. */
export class RateBuckets {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #rates: readonly Rate[];
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, "nowMs">, rates: readonly Rate[]) {
    this.#clock = clock;
    this.#rates = rates;
  }

  /** How long until `count` may come, 0 when they may; takes nothing. More than the burst wait for a full bucket. */
  waitMs(key: string, count = 1): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return 0;
    const waits = this.#now(bucket).map((tokens, i) => {
      const { burst = 0, perMs = 1 } = this.#rates[i] ?? {};
      return (Math.min(count, burst) - tokens) / perMs;
    });
    // What a division is off by is no millisecond.
    return Math.max(0, Math.ceil(Math.max(...waits) - 1e-6));
  }

  /** Takes `count` where they may come, and gives 0; gives the wait otherwise. More than the burst are paid back by waiting. */
  take(key: string, count = 1): number {
    const waitMs = this.waitMs(key, count);
    if (waitMs === 0) this.#add(key, -count);
    return waitMs;
  }

  give(key: string, count: number): void {
    this.#add(key, count);
  }

  #add(key: string, amount: number): void {
    const bucket = this.#buckets.get(key);
    const before = bucket === undefined ? this.#rates.map(({ burst }) => burst) : this.#now(bucket);
    const tokens = before.map((count, i) => Math.min(this.#rates[i]?.burst ?? 0, count + amount));
    // A Map keeps insertion order: putting it back makes it the newest.
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens, atMs: this.#clock.nowMs() });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_KEYS) break;
      this.#buckets.delete(oldest);
    }
  }

  #now({ tokens, atMs }: Bucket): readonly number[] {
    const passedMs = this.#clock.nowMs() - atMs;
    return tokens.map((count, i) => {
      const { burst = 0, perMs = 0 } = this.#rates[i] ?? {};
      return Math.min(burst, count + passedMs * perMs);
    });
  }
}
