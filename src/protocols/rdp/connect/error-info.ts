import type { DisconnectReason } from "../client-context.ts";
import { RdpError, type RdpErrorCode, type RdpPhase } from "../error.ts";

/** Error information, MS-RDPBCGR 2.2.5.1.1, as far as a person can act on it. */
const WORDS: Readonly<Record<number, string>> = {
  1: "an administrator ended the session",
  2: "an administrator signed the user out",
  3: "the session was idle for too long",
  4: "the session reached its time limit",
  5: "somebody else signed in with this account and took the session",
  6: "the host has no memory left",
  7: "the host refused the connection",
  9: "this account may not sign in remotely",
  10: "the host does not accept saved passwords for this account",
  11: "the user ended the session",
  12: "the user signed out",
  15: "the host's window manager stopped",
  16: "the host's graphics stopped",
  17: "the host's window manager stopped",
  18: "the user may not take part in this session",
  23: "the host's graphics cannot be used now",
  25: "the host's window manager ended without a reason",
  256: "the licence server had an internal error",
  257: "the host found no licence server",
  258: "the host has no licence for this connection",
  259: "the host got a licence message that it does not know",
  260: "the host did not find the licence it had issued",
  261: "the licence is for another kind of client",
  262: "the host could not finish licensing",
  263: "the licence exchange ended early",
  264: "the host could not read the licence",
  265: "the host could not upgrade the licence",
  266: "the host does not allow remote licences",
  1024: "the broker did not find the host it was to send us to",
  1026: "the broker redirected to another host",
  1028: "the host behind the broker did not start",
  1032: "the broker had an internal error",
  4297: "the host did not understand our data",
  4306: "the host found our sign-in data damaged",
  4501: "the host met a share that it does not know",
};

const PROTOCOL_FIRST = 0x10c9;
const LICENCE_FIRST = 0x100;
const LICENCE_LAST = 0x10a;
const SESSION_TAKEN = 0x05;
const NOT_ALLOWED: ReadonlySet<number> = new Set([0x09, 0x0a]);

/** What Set Error Info says, null for 0: nothing is wrong. */
export function disconnectReasonOf(code: number): DisconnectReason | null {
  if (code === 0) return null;
  const number = `0x${code.toString(16)}`;
  const words = WORDS[code];
  if (words !== undefined) return { code, words: `${words} (${number})` };
  const side =
    code >= PROTOCOL_FIRST ? "the host found a protocol error" : "the host gave a reason that is not known";
  return { code, words: `${side} (${number})` };
}

/** The error with which a connection ends whose host said why. */
export function disconnectError({ code, words }: DisconnectReason, phase: RdpPhase): RdpError {
  return new RdpError(codeOf(code), phase, words);
}

/** The error of a host that ended the connection over our proof of the password, and did not say why. */
export function signInRefused(phase: RdpPhase): RdpError {
  return new RdpError(
    "auth_failed",
    phase,
    "the host ended the connection when it checked user name and password: they are wrong, or may not sign in",
  );
}

function codeOf(code: number): RdpErrorCode {
  if (code === SESSION_TAKEN) return "session_taken";
  if (NOT_ALLOWED.has(code)) return "auth_failed";
  return code >= LICENCE_FIRST && code <= LICENCE_LAST ? "licence_refused" : "target_closed";
}
