/** Why a text could not be read from a picture. */
export type VisionErrorCode =
  /** A language without a model. */
  | "models_missing"
  /** The thread with the engine ended while it read this; another one reads the next. */
  | "engine_lost"
  /** The engine that is configured is not installed. */
  | "engine_missing"
  /** The engine could not be started, or cannot read this picture. */
  | "engine_failed"
  /** The picture has more pixels than are read at once. */
  | "too_large"
  /** No text like the one that was meant. */
  | "text_not_found"
  /** Several of them. */
  | "text_ambiguous"
  /** A text that was expected to be there, or to be gone, is not. */
  | "text_unexpected"
  /** An id that no element of this desktop has, or that is forgotten. */
  | "element_unknown"
  /** An element that is not on the screen any more. */
  | "element_gone"
  /** Where it was something else is, or it looks otherwise. */
  | "element_changed"
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
  /** Lines of text that were seen instead: what others wrote. */
  readonly seen: readonly string[] | null;

  constructor(
    code: VisionErrorCode,
    message: string,
    { seen = null, ...options }: { readonly cause?: unknown; readonly seen?: readonly string[] | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.seen = seen;
  }
}
