/** What is wrong with a recording, or with the place where recordings are kept. */
export type RecordingErrorCode =
  /** Bytes that do not decode to what their header announced, or were changed. */
  | "damaged"
  /** A length is above its limit; nothing was allocated for it. */
  | "too_large"
  /** Written by a later version of this program. */
  | "unsupported"
  /** Encrypted, and the key that opens it is not ours. */
  | "locked"
  /** The disk is full or below its floor. */
  | "disk_full"
  /** It has no picture yet, or was closed. */
  | "no_picture"
  /** It lies in an archive that does not give it. */
  | "unreachable";

/** A recording cannot be read or written. `message`: lower case, no dot, what was got and what was expected. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  readonly code: RecordingErrorCode;

  constructor(code: RecordingErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
