import type { Clock } from "../platform/clock.ts";
import { addressKey } from "./address.ts";

/** Wrong guesses before the first wait; as TigerVNC and KasmVNC count them. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 10_000;
export const LONGEST_WAIT_MS = 300_000;
/** Quiet for so long, an address starts anew. */
export const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** The table's bound; beyond it the address that failed longest ago is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  readonly count: number;
  readonly failedAtMs: number;
  readonly lockedUntilMs: number;
  /** See SharedFailures. */
  readonly era: number;
}

/** What all nodes of a fleet counted together of an address. */
interface Told {
  readonly count: number;
  /** By this node's clock. */
  readonly toldAtMs: number;
  /** Another where they were cleared since: what was counted before counts no more. */
  readonly era: number;
}

/** Failures of all nodes of a fleet, by the key of an address. None of it throws. */
export interface SharedFailures {
  /** null: nothing that counts is known here. */
  get(key: string): Told | null;
  /** One more was counted here; `total`: as many as are known here then. */
  add(key: string, total: number): void;
  clear(key: string): void;
}

/** Slows down who guesses credentials, one address at a time: 5 failures, then 10 s doubling to 300 s. */
export class Lockout {
  readonly #clock: Clock;
  readonly #shared: SharedFailures | null;
  readonly #addresses = new Map<string, Failures>();

  constructor(clock: Clock, shared: SharedFailures | null = null) {
    this.#clock = clock;
    this.#shared = shared;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** How long an address still has to wait, 0 when it may try. */
  waitMs(address: string): number {
    const key = addressKey(address);
    const failures = this.#failuresOf(key, this.#shared?.get(key) ?? null);
    return failures === undefined ? 0 : Math.max(0, failures.lockedUntilMs - this.#clock.nowMs());
  }

  /** Counts a wrong guess; gives the wait that it brought, 0 for none. */
  fail(address: string): number {
    const key = addressKey(address);
    const nowMs = this.#clock.nowMs();
    const told = this.#shared?.get(key) ?? null;
    const known = this.#failuresOf(key, told);
    this.#addresses.delete(key);
    const isFresh =
      known === undefined || nowMs - Math.max(known.failedAtMs, known.lockedUntilMs) >= FORGOTTEN_AFTER_MS;
    const count = isFresh ? 1 : known.count + 1;
    const waitMs = waitAfter(count);
    const era = told?.era ?? 0;
    this.#addresses.set(key, { count, failedAtMs: nowMs, lockedUntilMs: nowMs + waitMs, era });
    this.#forgetOldest();
    this.#shared?.add(key, count);
    return waitMs;
  }

  /** A right credential clears what was counted. */
  succeed(address: string): void {
    const key = addressKey(address);
    this.#addresses.delete(key);
    this.#shared?.clear(key);
  }

  /** Those of this node, or what others made of them. */
  #failuresOf(key: string, told: Told | null): Failures | undefined {
    const known = this.#addresses.get(key);
    if (told === null) return known;
    const { count, toldAtMs, era } = told;
    const own = known?.era === era ? known : undefined;
    if (count <= (own?.count ?? 0)) return own;
    const lockedUntilMs = Math.max(own?.lockedUntilMs ?? 0, toldAtMs + waitAfter(count));
    return { count, failedAtMs: toldAtMs, lockedUntilMs, era };
  }

  #forgetOldest(): void {
    if (this.#addresses.size <= MAX_ADDRESSES) return;
    for (const key of this.#addresses.keys()) {
      this.#addresses.delete(key);
      return;
    }
  }
}

/** How long an address waits after so many failures. */
export function waitAfter(count: number): number {
  if (count < FREE_FAILURES) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(count - FREE_FAILURES, 10), LONGEST_WAIT_MS);
}
