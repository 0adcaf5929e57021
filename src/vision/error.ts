/** Why a text could not be read from a picture. */
export type VisionErrorCode =
  /** A language without a model. */
  | "models_missing"
  /** The thread with the engine ended while it read this; another one reads the next. */
  | "engine_lost"
  /** The engine could not be started, or cannot read this picture. */
  | "engine_failed"
  /** The picture has more pixels than are read at once. */
  | "too_large"
  /** No text like the one that was meant. */
  | "text_not_found"
  /** Several of them. */
  | "text_ambiguous"
  /** A regular expression that is none, or that takes too long. */
  | "bad_pattern"
  /** Too much is waiting to be read. */
  | "too_many";

/**
 * `message`: lower case, no dot, what was got and what was expected. It is for the caller alone and may hold what was read:
 * no log has it.
 */
export class VisionError extends Error {
  override readonly name = "VisionError";
  readonly code: VisionErrorCode;

  constructor(code: VisionErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
