/** Why a model said nothing about a picture. */
export type AnalysisErrorCode =
  /** The provider is not configured here. */
  | "provider_unknown"
  /** It is, but for the key that it wants. */
  | "provider_key_missing"
  /** It does not take the key. */
  | "provider_key_refused"
  /** It did not answer in time. */
  | "provider_timeout"
  /** The picture is larger than it takes. */
  | "picture_too_large"
  /** It wants fewer calls. */
  | "provider_busy"
  /** It cannot be reached, refused the picture or answered what is no answer. */
  | "provider_failed";

/** `message`: lower case, no dot, what was got and what was expected; never the key, the question or the answer. */
export class AnalysisError extends Error {
  override readonly name = "AnalysisError";
  readonly code: AnalysisErrorCode;
  /** When the provider said that it may be asked again; null where it did not. */
  readonly retryAfterMs: number | null;

  constructor(
    code: AnalysisErrorCode,
    message: string,
    {
      retryAfterMs = null,
      ...options
    }: { readonly cause?: unknown; readonly retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
