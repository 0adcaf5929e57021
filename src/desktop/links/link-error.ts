import { CdpError } from "../../protocols/cdp/error.ts";
import { RdpError, type RdpErrorCode } from "../../protocols/rdp/error.ts";
import { RfbError, type RfbErrorCode } from "../../protocols/rfb/error.ts";
import { LinkError, type LinkErrorCode } from "../error.ts";

/** Codes that say the same on both sides; all others are the peer's fault against the protocol. */
const SAME: Partial<Record<RfbErrorCode | RdpErrorCode, LinkErrorCode>> = {
  refused: "refused",
  no_common_auth: "no_common_auth",
  no_common_security: "no_common_auth",
  auth_failed: "auth_failed",
  password_required: "password_required",
  no_identity: "cert_mismatch",
  target_closed: "target_closed",
  licence_refused: "refused",
  redirected: "refused",
  session_taken: "refused",
};

/** Trying again with the same settings cannot help, and with wrong passwords it makes servers lock us out. */
const FINAL: ReadonlySet<LinkErrorCode> = new Set([
  "auth_failed",
  "password_required",
  "no_common_auth",
  "cert_mismatch",
]);

/** Signing in again would take the session from whoever took it, or be sent elsewhere again. */
const FINAL_OF_RDP: ReadonlySet<RdpErrorCode> = new Set(["session_taken", "redirected", "unsupported"]);

/** What ended a link, as a LinkError: what was got, what was expected, what to do. */
export function linkErrorOf(error: unknown): LinkError {
  if (error instanceof LinkError) return error;
  if (error instanceof RfbError || error instanceof RdpError) {
    const code = SAME[error.code] ?? "protocol_error";
    const where = error.offset === null ? "" : ` (${error.phase}, byte ${error.offset})`;
    const isFinal = FINAL.has(code) || (error instanceof RdpError && FINAL_OF_RDP.has(error.code));
    return new LinkError(code, `${error.message}${where}`, { cause: error, isFinal });
  }
  if (error instanceof CdpError) {
    const code = error.code === "closed" ? "target_closed" : "protocol_error";
    return new LinkError(error.code === "timeout" ? "stalled" : code, error.message, { cause: error });
  }
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return new LinkError("unreachable", socketMessage(error.code), { cause: error });
  }
  return new LinkError("protocol_error", "the target's data could not be read", { cause: error });
}

function socketMessage(code: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return "nothing listens on that port: check the host, the port and that the server runs";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the host name is not known: check its spelling";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "there is no way to that host: check the network";
    case "ETIMEDOUT":
      return "the host does not answer: check the address and any firewall";
    case "ENOENT":
      return "there is no such socket: check the path and that the server runs";
    case "EACCES":
    case "EPERM":
      return "the socket or port may not be used by this user: check its permissions";
    case "EADDRINUSE":
      return "something else listens on that port: choose another";
    case "EADDRNOTAVAIL":
      return "that address is none of this machine: choose one of its own";
    case "ECONNRESET":
    case "EPIPE":
      return "the target cut the connection";
    default:
      return `the connection failed (${code})`;
  }
}
