import type { Found, PerformOptions } from "../../desktop/control/action.ts";

/** The options that every acting tool takes, as its schema hands them over. */
interface ActionArguments {
  readonly require_user_confirmation?: boolean | undefined;
  readonly action_timing_hint?: { readonly minDelayMs: number; readonly maxDelayMs: number } | undefined;
  readonly intent?: string | undefined;
  readonly effect_timeout_ms?: number | undefined;
  readonly found?: Found | undefined;
}

/** The heart's words for a tool's options. */
export function performOptions(args: ActionArguments, signal: AbortSignal): PerformOptions {
  return {
    signal,
    requireConfirmation: args.require_user_confirmation ?? false,
    effectTimeoutMs: args.effect_timeout_ms,
    intent: args.intent,
    timing: args.action_timing_hint,
    found: args.found,
  };
}
