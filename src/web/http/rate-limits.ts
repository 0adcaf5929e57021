import { addressKey } from "../../auth/address.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";

/** Addresses counted at once; beyond it the one used longest ago starts anew. */
const MAX_KEYS = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** One limit: so many at once for each address, refilled evenly. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #refillPerMs: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, limit: { readonly count: number; readonly perMs: number }) {
    this.#clock = clock;
    this.#capacity = limit.count;
    this.#refillPerMs = limit.count / limit.perMs;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** How long until there is one, 0 when there is; takes nothing. */
  waitMs(address: string): number {
    const bucket = this.#buckets.get(addressKey(address));
    if (bucket === undefined) return 0;
    const missing = 1 - this.#tokensNow(bucket);
    return missing <= 0 ? 0 : Math.ceil(missing / this.#refillPerMs);
  }

  /** Takes one, where there is one; gives the wait otherwise. */
  take(address: string): number {
    const waitMs = this.waitMs(address);
    if (waitMs > 0) return waitMs;
    const key = addressKey(address);
    const bucket = this.#buckets.get(key);
    const tokens = (bucket === undefined ? this.#capacity : this.#tokensNow(bucket)) - 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens, atMs: this.#clock.nowMs() });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_KEYS) break;
      this.#buckets.delete(oldest);
    }
    return 0;
  }

  #tokensNow(bucket: Bucket): number {
    const elapsedMs = this.#clock.nowMs() - bucket.atMs;
    return Math.min(this.#capacity, bucket.tokens + elapsedMs * this.#refillPerMs);
  }
}

const QUARTER_MS = 15 * 60_000;

/** The limits of the HTTP routes, by address; never on MCP, assets, people's pictures or WebSockets. */
export class RateLimits {
  /** Failed sign-ins. */
  readonly signIn: TokenBuckets;
  readonly configuration: TokenBuckets;
  /** Recordings as files. */
  readonly files: TokenBuckets;
  readonly connectionTests: TokenBuckets;
  /** Sign-ins that are begun at a provider, each of which asks it. */
  readonly providerSignIns: TokenBuckets;
  /** What a provider says of sessions there: it may end many at once. */
  readonly providerNotices: TokenBuckets;
  readonly #isOn: boolean;

  constructor(clock: Clock, isOn: boolean) {
    this.signIn = new TokenBuckets(clock, { count: 10, perMs: QUARTER_MS });
    this.configuration = new TokenBuckets(clock, { count: 100, perMs: QUARTER_MS });
    this.files = new TokenBuckets(clock, { count: 100, perMs: QUARTER_MS });
    this.connectionTests = new TokenBuckets(clock, { count: 10, perMs: 60_000 });
    this.providerSignIns = new TokenBuckets(clock, { count: 30, perMs: 60_000 });
    this.providerNotices = new TokenBuckets(clock, { count: 300, perMs: 60_000 });
    this.#isOn = isOn;
  }

  /** Takes one. Throws RefusedError rate_limited with the wait. */
  take(
    name: "configuration" | "files" | "connectionTests" | "providerSignIns" | "providerNotices",
    address: string,
  ): void {
    if (this.#isOn) refuse(this[name].take(address));
  }

  /** Throws RefusedError rate_limited while an address failed to sign in too often. */
  checkSignIn(address: string): void {
    if (this.#isOn) refuse(this.signIn.waitMs(address));
  }

  countFailedSignIn(address: string): void {
    if (this.#isOn) this.signIn.take(address);
  }
}

function refuse(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new RefusedError("rate_limited", `too many requests from this address: try again in ${seconds} s`, {
    retryAfterMs: waitMs,
  });
}
