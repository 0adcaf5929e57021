import { ProtocolError } from "../error.ts";

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

/** See ProtocolError. */
export class RdpError extends ProtocolError<RdpErrorCode, RdpPhase> {
  override readonly name = "RdpError";
}
