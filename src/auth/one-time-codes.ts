import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import type { Principal } from "./principal.ts";

interface CodeLimits {
  readonly lifetimeMs: number;
  /** Beyond it the oldest code is void. */
  readonly most: number;
}

/** Of the first sign-in. */
const SIGN_IN_CODES: CodeLimits = { lifetimeMs: 10 * 60_000, most: 64 };

/** Of guests. */
export const TICKETS: CodeLimits = { lifetimeMs: 60_000, most: 1000 };

/** Codes for `/?token=` and the sign-in page: 128 random bits, good once and for a while. */
export class OneTimeCodes {
  readonly lifetimeMs: number;
  readonly #most: number;
  readonly #clock: Clock;
  /** By hash, so that neither a memory dump nor timing gives a code away; oldest first. */
  readonly #codes = new Map<string, { readonly principal: Principal; readonly expiresAtMs: number }>();

  constructor(clock: Clock, { lifetimeMs, most }: CodeLimits = SIGN_IN_CODES) {
    this.#clock = clock;
    this.lifetimeMs = lifetimeMs;
    this.#most = most;
  }

  issue(principal: Principal): string {
    for (const [key, entry] of this.#codes) {
      if (entry.expiresAtMs > this.#clock.nowMs() && this.#codes.size < this.#most) break;
      this.#codes.delete(key);
    }
    const code = randomBytes(16).toString("base64url");
    this.#codes.set(hash(code), { principal, expiresAtMs: this.#clock.nowMs() + this.lifetimeMs });
    return code;
  }

  /** Whom the code signs in, once; null when it is unknown, used or too old. */
  redeem(code: string): Principal | null {
    const key = hash(code);
    const entry = this.#codes.get(key);
    this.#codes.delete(key);
    return entry !== undefined && entry.expiresAtMs > this.#clock.nowMs() ? entry.principal : null;
  }
}

function hash(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
