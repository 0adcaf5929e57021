/** Where in a conversation an error happened. */
export type RdpPhase =
  | "negotiation"
  | "tls"
  | "credssp"
  | "mcs"
  | "licensing"
  | "capabilities"
  | "activation"
  | "graphics"
  | "pointer"
  | "channel"
  | "input"
  | "session";

export type RdpErrorCode =
  /** The host offers or demands a kind of security that we do not speak, or that is forbidden here. */
  | "no_common_security"
  | "auth_failed"
  | "password_required"
  /** The key the host proved is not the one of its certificate: somebody is in between. */
  | "no_identity"
  | "refused"
  | "licence_refused"
  | "bad_size"
  | "bad_data"
  | "too_large"
  | "unsupported"
  | "unknown_message"
  /** The host wants us to go on elsewhere, which is not followed. */
  | "redirected"
  /** Somebody signed in with the same account elsewhere and took the session. */
  | "session_taken"
  | "target_closed";

/** The peer broke the protocol, refused us, or asks for what is not allowed: the connection ends. */
export class RdpError extends Error {
  override readonly name = "RdpError";
  readonly code: RdpErrorCode;
  readonly phase: RdpPhase;
  /** Bytes read from the peer when it was found, where known. */
  offset: number | null = null;

  /** `message`: what was got and what was expected, lower case, no dot, never a secret. */
  constructor(code: RdpErrorCode, phase: RdpPhase, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.phase = phase;
  }
}
