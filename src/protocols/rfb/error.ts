import { ProtocolError } from "../error.ts";

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

/** See ProtocolError. */
export class RfbError extends ProtocolError<RfbErrorCode, RfbPhase> {
  override readonly name = "RfbError";
}

/** Control and bidirectional characters, and the two separators that end a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Text of a peer made safe to show and log: such characters escaped; what is shown has at most `most` characters. */
export function safeText(text: string, most = 256): string {
  let safe = "";
  for (const c of text) {
    const shown = UNSAFE.test(c) ? `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}` : c;
    if (safe.length + shown.length > most) return `${safe}…`;
    safe += shown;
  }
  return safe;
}
