import { PROVIDERS } from "../analysis/analysis.ts";
import { Analysts } from "../analysis/analysts.ts";
import type { Config } from "../config/config-schema.ts";

/** Who may be asked about pictures; null where no provider has a model. */
export function openAnalysts({ analysis }: Pick<Config, "analysis">): Analysts | null {
  const configured = PROVIDERS.flatMap((name) => {
    const { model, api_key, endpoint } = analysis[name];
    return model === undefined ? [] : [[name, { model, apiKey: api_key ?? null, endpoint }] as const];
  });
  if (configured.length === 0) return null;
  return new Analysts({
    providers: Object.fromEntries(configured),
    preferred: analysis.provider ?? null,
    timeoutMs: analysis.timeout_s * 1000,
  });
}
