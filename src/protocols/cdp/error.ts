export type CdpErrorCode =
  /** Not JSON, or not a message of the protocol. */
  | "bad_data"
  | "too_large"
  /** The browser answered that it will not or cannot. */
  | "refused"
  | "timeout"
  /** The conversation is over. */
  | "closed";

/** A browser broke the DevTools protocol, refused a call or did not answer it. Messages hold no parameters. */
export class CdpError extends Error {
  override readonly name = "CdpError";
  readonly code: CdpErrorCode;

  constructor(code: CdpErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
