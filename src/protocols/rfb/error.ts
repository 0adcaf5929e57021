/** Where in a conversation an error happened. */
export type RfbPhase = "version" | "security" | "authentication" | "init" | "message" | "rectangle";

export type RfbErrorCode =
  | "bad_version"
  | "refused"
  | "no_common_auth"
  | "auth_failed"
  | "password_required"
  /** The server must prove who it is and offers only ways in which it does not. */
  | "no_identity"
  | "bad_size"
  | "bad_pixel_format"
  | "bad_rect"
  | "bad_data"
  | "too_large"
  /** A message that does not end. */
  | "too_slow"
  /** More of a message than anybody needs. */
  | "too_fast"
  | "unknown_message"
  | "unsolicited_encoding"
  | "target_closed";

/** The peer broke the protocol, refused us, or asks for what is not allowed: the connection ends. */
export class RfbError extends Error {
  override readonly name = "RfbError";
  readonly code: RfbErrorCode;
  readonly phase: RfbPhase;
  /** Bytes read from the peer when it was found, where known. */
  offset: number | null = null;

  /** `message`: what was got and what was expected, lower case, no dot, never a secret. */
  constructor(code: RfbErrorCode, phase: RfbPhase, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.phase = phase;
  }
}

/** Text of a peer made safe to show and log: control and bidirectional characters escaped, at most 256 characters. */
export function safeText(text: string, most = 256): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
