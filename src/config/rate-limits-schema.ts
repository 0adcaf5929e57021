import * as z from "zod";
import { RATE_CLASSES, type RateClass, USUAL_RATES } from "../desktop/control/agent-rates.ts";
import { RATES_TEXT } from "../platform/rate-buckets.ts";
import { type RateTier, USUAL_TIERS } from "../web/http/rate-limits.ts";
import { toggle } from "./config-values.ts";

const rates = z
  .string()
  .regex(RATES_TEXT, 'expected a rate such as 5/s, 10/15min, "1/s burst 60" or two of them joined by and');

const tool = (rateClass: RateClass, words: string) =>
  rates.default(USUAL_RATES[rateClass]).describe(`Of one principal on one desktop: ${words}.`);
const tier = (name: RateTier, words: string) =>
  rates.default(USUAL_TIERS[name]).describe(`Of one address: ${words}.`);

const ofRole = (words: string) =>
  z
    .partialRecord(z.enum(RATE_CLASSES), rates)
    .describe(
      `Other rates for agents with ${words}, by the names above up to default, as \`{ input: 10/s }\`.`,
    );

/** `rate_limits: off` is the word for `rate_limits: { enabled: off }`. */
export const rateLimitsSchema = z.preprocess(
  (said) => (typeof said === "boolean" || typeof said === "string" ? { enabled: said } : said),
  z
    .strictObject({
      enabled: toggle
        .default(true)
        .describe(
          "Token buckets for tools and routes; `rate_limits: off` says the same. The lockout after wrong tokens stays.",
        ),
      screenshot: tool("screenshot", "pictures that agents are given, over MCP and REST together"),
      input: tool("input", "actions of agents"),
      autopilot_input: tool("autopilot_input", "the same in autopilot"),
      overlay: tool("overlay", "overlays drawn and removed"),
      connection_test: tool("connection_test", "tests by agents"),
      default: tool("default", "all other calls of agents, over MCP and REST together"),
      roles: z
        .strictObject({
          admin: ofRole("an administrator's token"),
          operator: ofRole("an operator's token"),
          agent: ofRole("an agent's token or an access token"),
        })
        .partial()
        .default({}),
      sign_in: tier("sign_in", "failed sign-ins"),
      configuration: tier("configuration", "client snippets (/config)"),
      files: tier("files", "recordings as files"),
      connection_tests: tier("connection_tests", "tests of connections over REST"),
      provider_sign_ins: tier("provider_sign_ins", "sign-ins begun at the provider"),
      provider_notices: tier("provider_notices", "sessions that the provider says have ended"),
    })
    .prefault({}),
);
