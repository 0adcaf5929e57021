import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../platform/clock.ts";
import type { TargetReach } from "../../connections/target-guard.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import { WebSocketStream } from "../streams/web-socket-stream.ts";
import { basicAuthorization } from "../vnc/vnc-socket.ts";

/** The server closes at frames of 64 KB and more. */
const MOST_FRAME_BYTES = 32 * 1024;

/** Its own frames stay below 50 KB (KasmVNC 1.5.0, 2026-11-21). */
const MOST_SERVER_FRAME_BYTES = 1024 * 1024;

/** What its web server reads of the header with name and password. */
const MOST_CREDENTIAL_BYTES = 256;

export interface KasmTarget {
  readonly host: string;
  readonly port: number;
  /** For HTTP Basic only; null: none is sent. */
  readonly username: string | null;
  readonly password: string | null;
  /** "auto": TLS, and without only to this machine itself. */
  readonly tls: "auto" | "always" | "never";
}

/**
 * The byte stream inside a KasmVNC server's WebSocket. One request with name and password, never a second: each
 * refused one counts towards being locked out. No pings, which it does not answer. Throws a final LinkError for
 * credentials that the server cannot read.
 */
export function openKasmSocket(
  { host, port, username, password, tls }: KasmTarget,
  reach: TargetReach,
  trust: TargetTrust,
  clock: Clock,
): WebSocketStream {
  const authorization = username === null ? null : kasmAuthorization(username, password ?? "");
  return new WebSocketStream(
    {
      ...{ protocol: "kasmvnc", host, port, path: "/websockify", tls },
      headers: authorization === null ? {} : { authorization },
      mostSentBytes: MOST_FRAME_BYTES,
      mostTakenBytes: MOST_SERVER_FRAME_BYTES,
      refusalOf: (response) => refusalOf(response, authorization !== null),
    },
    reach,
    trust,
    clock,
  );
}

function kasmAuthorization(username: string, password: string): string {
  const header = basicAuthorization(username, password);
  if (header.length <= MOST_CREDENTIAL_BYTES) return header;
  throw new LinkError("auth_failed", "user name and password are longer than KasmVNC reads", {
    isFinal: true,
  });
}

/** Every refusal of the name or the password is final: another try counts towards being locked out. */
function refusalOf({ statusCode = 0, headers }: IncomingMessage, hasCredentials: boolean): LinkError {
  if (statusCode === 401 && !hasCredentials) {
    return new LinkError("password_required", "the server asks for a user name and none is configured", {
      isFinal: true,
    });
  }
  if (statusCode === 401 && headers["www-authenticate"] === undefined) {
    return new LinkError(
      "auth_failed",
      "the server refused the user name or the password, or has locked this address out after refused ones: correct them and wait 10 s",
      { isFinal: true },
    );
  }
  if (statusCode === 401 || statusCode === 403) {
    return new LinkError("auth_failed", "the server refused the user name or the password", {
      isFinal: true,
    });
  }
  return new LinkError(
    "protocol_error",
    `got HTTP status ${statusCode}, expected a WebSocket: is this the port of a KasmVNC server?`,
  );
}
