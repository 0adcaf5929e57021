import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import type { Principal } from "./principal.ts";

const LIFETIME_MS = 10 * 60_000;

/** Beyond it the oldest code is void. */
const MAX_CODES = 64;

/** Codes for `/?token=`: 128 random bits, good once and for ten minutes. */
export class OneTimeCodes {
  readonly #clock: Clock;
  /** By hash, so that neither a memory dump nor timing gives a code away; oldest first. */
  readonly #codes = new Map<string, { readonly principal: Principal; readonly expiresAtMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(principal: Principal): string {
    for (const [key, entry] of this.#codes) {
      if (entry.expiresAtMs > this.#clock.nowMs() && this.#codes.size < MAX_CODES) break;
      this.#codes.delete(key);
    }
    const code = randomBytes(16).toString("base64url");
    this.#codes.set(hash(code), { principal, expiresAtMs: this.#clock.nowMs() + LIFETIME_MS });
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
