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

/** Codes for `/?token=`, the sign-in page and links: 128 random bits, good once and for a while. `What` each stands for. */
export class OneTimeCodes<What = Principal> {
  readonly lifetimeMs: number;
  readonly #most: number;
  readonly #clock: Clock;
  /** By hash, so that neither a memory dump nor timing gives a code away; oldest first. */
  readonly #codes = new Map<string, { readonly what: What; readonly expiresAtMs: number }>();

  constructor(clock: Clock, { lifetimeMs, most }: CodeLimits = SIGN_IN_CODES) {
    this.#clock = clock;
    this.lifetimeMs = lifetimeMs;
    this.#most = most;
  }

  issue(what: What): string {
    for (const [key, entry] of this.#codes) {
      if (entry.expiresAtMs > this.#clock.nowMs() && this.#codes.size < this.#most) break;
      this.#codes.delete(key);
    }
    const code = randomBytes(16).toString("base64url");
    this.#codes.set(hash(code), { what, expiresAtMs: this.#clock.nowMs() + this.lifetimeMs });
    return code;
  }

  /** What the code stands for, once; null when it is unknown, used or too old. */
  redeem(code: string): What | null {
    const found = this.find(code);
    this.#codes.delete(hash(code));
    return found;
  }

  /** As `redeem`, and the code stays good. */
  find(code: string): What | null {
    const entry = this.#codes.get(hash(code));
    return entry !== undefined && entry.expiresAtMs > this.#clock.nowMs() ? entry.what : null;
  }
}

function hash(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
