import { addressKey } from "../../auth/address.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import { RateBuckets, ratesOf } from "../../platform/rate-buckets.ts";

/** The tiers of HTTP routes and their rates by address, as RATES_TEXT has them; never on MCP, assets, people's pictures or WebSockets. */
export const USUAL_TIERS = {
  /** Failed ones. */
  sign_in: "10/15min",
  configuration: "100/15min",
  /** Recordings as files. */
  files: "100/15min",
  connection_tests: "10/min",
  /** That are begun at a provider, each of which asks it. */
  provider_sign_ins: "30/min",
  /** What a provider says of sessions there: it may end many at once. */
  provider_notices: "300/min",
} as const;

export type RateTier = keyof typeof USUAL_TIERS;

export interface TierSettings {
  readonly isOn: boolean;
  /** What is not said is as usual. */
  readonly tiers?: Readonly<Partial<Record<RateTier, string>>>;
}

/** The limits of the HTTP routes, by address. */
export class RateLimits {
  readonly #isOn: boolean;
  readonly #tiers: Readonly<Record<RateTier, RateBuckets>>;

  constructor(clock: Clock, { isOn, tiers }: TierSettings) {
    const buckets = (tier: RateTier): RateBuckets =>
      new RateBuckets(clock, ratesOf(tiers?.[tier] ?? USUAL_TIERS[tier]));
    this.#isOn = isOn;
    this.#tiers = {
      sign_in: buckets("sign_in"),
      configuration: buckets("configuration"),
      files: buckets("files"),
      connection_tests: buckets("connection_tests"),
      provider_sign_ins: buckets("provider_sign_ins"),
      provider_notices: buckets("provider_notices"),
    };
  }

  /** Takes one. Throws RefusedError rate_limited with the wait. */
  take(tier: Exclude<RateTier, "sign_in">, address: string): void {
    if (this.#isOn) refuse(this.#tiers[tier].take(addressKey(address)));
  }

  /** Throws RefusedError rate_limited while an address failed to sign in too often. */
  checkSignIn(address: string): void {
    if (this.#isOn) refuse(this.#tiers.sign_in.waitMs(addressKey(address)));
  }

  countFailedSignIn(address: string): void {
    if (this.#isOn) this.#tiers.sign_in.take(addressKey(address));
  }
}

function refuse(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new RefusedError("rate_limited", `too many requests from this address: try again in ${seconds} s`, {
    retryAfterMs: waitMs,
  });
}
