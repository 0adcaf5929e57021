import type { Clock } from "../../platform/clock.ts";
import { RateBuckets, ratesOf } from "../../platform/rate-buckets.ts";
import { RefusedError } from "../error.ts";

/** What a call is counted as, and requirement R1's rates, as RATES_TEXT has them: per principal and desktop. */
export const USUAL_RATES = {
  screenshot: "1/s burst 60 and 10/s",
  input: "5/s burst 10",
  autopilot_input: "20/s burst 40",
  overlay: "20/s burst 40",
  connection_test: "10/min",
  default: "10/s burst 20",
} as const;

export type RateClass = keyof typeof USUAL_RATES;

export const RATE_CLASSES = [
  "screenshot",
  "input",
  "autopilot_input",
  "overlay",
  "connection_test",
  "default",
] as const satisfies readonly RateClass[];

/** As RATES_TEXT; what is not said is as everywhere. */
type RateTexts = Readonly<Partial<Record<RateClass, string | undefined>>>;

export interface AgentRateSettings {
  readonly isOn: boolean;
  readonly rates?: RateTexts;
  /** By the role of a credential, before `rates`. */
  readonly ofRoles?: Readonly<Record<string, RateTexts | undefined>>;
}

/** Whose calls are counted. */
export interface RatedPrincipal {
  readonly id: string;
  readonly role: string;
}

/** Token buckets of all principals and desktops, whichever face an agent comes by. */
export class AgentRates {
  readonly #clock: Clock;
  readonly #settings: AgentRateSettings;
  /** By class and role. */
  readonly #limits = new Map<string, { readonly text: string; readonly buckets: RateBuckets }>();

  constructor(clock: Clock, settings: AgentRateSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /**
   * Counts `count` calls at once; more than the burst are let through when the bucket is full, and paid back by
   * waiting afterwards. Throws RefusedError rate_limited with `retryAfterMs`. The returned function gives the call
   * back, for those that turn out to cost nothing (a screenshot that had not changed).
   */
  take(rateClass: RateClass, { id, role }: RatedPrincipal, desktopId: string, count = 1): () => void {
    if (!this.#settings.isOn) return () => {};
    const { text, buckets } = this.#limit(rateClass, role);
    const key = `${id}\n${desktopId}`;
    const waitMs = buckets.take(key, count);
    if (waitMs > 0) {
      throw new RefusedError("rate_limited", `too many ${NAMES[rateClass]}, got more than ${inWords(text)}`, {
        retryAfterMs: waitMs,
      });
    }
    return () => buckets.give(key, count);
  }

  #limit(rateClass: RateClass, role: string): { readonly text: string; readonly buckets: RateBuckets } {
    const key = `${rateClass}\n${role}`;
    const known = this.#limits.get(key);
    if (known !== undefined) return known;
    const { rates, ofRoles } = this.#settings;
    const text = ofRoles?.[role]?.[rateClass] ?? rates?.[rateClass] ?? USUAL_RATES[rateClass];
    const limit = { text, buckets: new RateBuckets(this.#clock, ratesOf(text)) };
    this.#limits.set(key, limit);
    return limit;
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

const PERIODS: Readonly<Record<string, string>> = {
  s: "a second",
  min: "a minute",
  "15min": "in 15 minutes",
  h: "an hour",
};

/** "60 at once and 1 a second, or 10 at once and 10 a second" */
function inWords(text: string): string {
  return text
    .split(" and ")
    .map((one) => {
      const [rate = "", burst] = one.split(" burst ");
      const [count = "", period = ""] = rate.split("/");
      return `${burst ?? count} at once and ${count} ${PERIODS[period] ?? ""}`;
    })
    .join(", or ");
}
