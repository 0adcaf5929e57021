import type { Clock } from "../platform/clock.ts";
import { addressKey } from "./address.ts";

/** Wrong guesses before the first wait; as TigerVNC and KasmVNC count them. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 300_000;
/** Quiet for so long, an address starts anew. */
const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** The table's bound; beyond it the address that failed longest ago is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  failedAtMs: number;
  lockedUntilMs: number;
}

/** Slows down who guesses credentials, one address at a time: 5 failures, then 10 s doubling to 300 s. */
export class Lockout {
  readonly #clock: Clock;
  readonly #addresses = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** How long an address still has to wait, 0 when it may try. */
  waitMs(address: string): number {
    const failures = this.#addresses.get(addressKey(address));
    return failures === undefined ? 0 : Math.max(0, failures.lockedUntilMs - this.#clock.nowMs());
  }

  /** Counts a wrong guess; gives the wait that it brought, 0 for none. */
  fail(address: string): number {
    const key = addressKey(address);
    const nowMs = this.#clock.nowMs();
    const known = this.#addresses.get(key);
    this.#addresses.delete(key);
    const isFresh =
      known === undefined || nowMs - Math.max(known.failedAtMs, known.lockedUntilMs) >= FORGOTTEN_AFTER_MS;
    const failures = isFresh ? { count: 0, failedAtMs: nowMs, lockedUntilMs: 0 } : known;
    failures.count += 1;
    failures.failedAtMs = nowMs;
    const waitMs = waitAfter(failures.count);
    failures.lockedUntilMs = nowMs + waitMs;
    this.#addresses.set(key, failures);
    this.#forgetOldest();
    return waitMs;
  }

  /** A right credential clears what was counted. */
  succeed(address: string): void {
    this.#addresses.delete(addressKey(address));
  }

  #forgetOldest(): void {
    if (this.#addresses.size <= MAX_ADDRESSES) return;
    for (const key of this.#addresses.keys()) {
      this.#addresses.delete(key);
      return;
    }
  }
}

function waitAfter(count: number): number {
  if (count < FREE_FAILURES) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(count - FREE_FAILURES, 10), LONGEST_WAIT_MS);
}
