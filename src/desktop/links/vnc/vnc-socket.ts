import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../platform/clock.ts";
import type { TargetReach } from "../../connections/target-guard.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import { WebSocketStream } from "../streams/web-socket-stream.ts";

/** websockify and others read whatever we send; small frames keep the pointer quick. */
const MOST_FRAME_BYTES = 64 * 1024;

/** websockify's frames hold what it read at once, 64 KiB; others, such as QEMU, send a whole update as one. */
const MOST_SERVER_FRAME_BYTES = 64 * 1024 * 1024;

/** What the web server in front of a VNC server wants to see. Secret: never logged, listed or sent elsewhere. */
export interface WebAccess {
  /** HTTP Basic; undefined: none is sent. */
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface VncSocketTarget {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly isSecure: boolean;
  readonly access: WebAccess;
}

/** A plain VNC server behind a WebSocket: websockify, QEMU, libvncserver, wayvnc. */
export function openVncSocket(
  { host, port, path, isSecure, access }: VncSocketTarget,
  reach: TargetReach,
  trust: TargetTrust,
  clock: Clock,
): WebSocketStream {
  const { username, password } = access;
  const basic = username === undefined ? {} : { authorization: basicAuthorization(username, password ?? "") };
  return new WebSocketStream(
    {
      ...{
        protocol: "vnc",
        host,
        port,
        path,
        tls: isSecure ? "always" : "never",
        headers: { ...access.headers, ...basic },
      },
      mostSentBytes: MOST_FRAME_BYTES,
      mostTakenBytes: MOST_SERVER_FRAME_BYTES,
      refusalOf: (response) => refusalOf(response, username !== undefined),
    },
    reach,
    trust,
    clock,
  );
}

/** The header of HTTP Basic, RFC 7617. Throws a final LinkError for a name that it cannot send. */
export function basicAuthorization(username: string, password: string): string {
  if (username.includes(":")) {
    throw new LinkError("auth_failed", "the user name has a colon, which HTTP Basic cannot send", {
      isFinal: true,
    });
  }
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

function refusalOf({ statusCode = 0 }: IncomingMessage, hasCredentials: boolean): LinkError {
  if (statusCode === 401 || statusCode === 403) {
    return hasCredentials
      ? new LinkError("auth_failed", "the web server refused the user name or the password", {
          isFinal: true,
        })
      : new LinkError("password_required", "the web server asks for a user name and none is configured", {
          isFinal: true,
        });
  }
  return new LinkError(
    "protocol_error",
    `got HTTP status ${statusCode}, expected a WebSocket: check the path and the port`,
  );
}
