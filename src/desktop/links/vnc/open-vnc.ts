import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock } from "../../../platform/clock.ts";
import { encodingByName } from "../../../protocols/rfb/encodings/list.ts";
import type { Connection } from "../../connections/connection.ts";
import { guardSocket, type TargetReach } from "../../connections/target-guard.ts";
import type { Link } from "../../link.ts";
import type { LinkParts } from "../link-parts.ts";
import { PLATFORM } from "../link-platform.ts";
import { ReverseStream } from "../streams/reverse-stream.ts";
import { SocketStream } from "../streams/socket-stream.ts";
import { TcpStream } from "../streams/tcp-stream.ts";
import { TargetSecurity } from "./target-security.ts";
import { VncLink } from "./vnc-link.ts";
import { openVncSocket } from "./vnc-socket.ts";

/** An empty password is one for whoever asks for it, and none for whoever does not. */
const WITH_EMPTY_PASSWORD = ["X509Vnc", "X509None", "TLSVnc", "TLSNone", "VncAuth", "None"] as const;

/** To a VNC server, by whatever leads to it. */
export function vncLink(connection: Connection, parts: LinkParts): Link {
  const { username, password, security, transport, repeater_id, encodings } = connection;
  const trust = transport === "wss" ? parts.trustInside : parts.trust;
  const targetSecurity = new TargetSecurity(transport === "unix" ? "" : connection.host, trust);
  const allowed = security ?? (password === "" ? WITH_EMPTY_PASSWORD : "auto");
  return new VncLink(
    {
      connect: () => streamTo(connection, parts),
      emitsConnect: true,
      hasConnectLimit: transport !== "reverse",
      repeater: repeater_id ?? null,
      encodings: encodings && numbersOf(encodings),
      mayAskPlain: encodings === undefined,
      username,
      password,
      security: { allowed, needsIdentity: trust.needsIdentity },
      secure: (effect, stream) => targetSecurity.perform(effect, stream),
      framebuffer: parts.framebuffer,
    },
    PLATFORM,
    parts.clock ?? systemClock,
  );
}

function numbersOf(encodings: readonly string[]): number[] {
  return encodings.flatMap((name) => encodingByName(name)?.number ?? []);
}

function streamTo(connection: Connection, { reach, trust, reverseListen }: LinkParts): Duplex {
  const { host, port, transport, path = "" } = connection;
  switch (transport) {
    case "unix":
      return new UnixStream(path, reach);
    case "reverse":
      return new ReverseStream(host, port, { listen: reverseListen, reach });
    case "ws":
    case "wss": {
      const { http_username, http_password, http_headers = {} } = connection;
      const access = { username: http_username, password: http_password, headers: http_headers };
      const target = { host, port, path, isSecure: transport === "wss", access };
      return openVncSocket(target, reach, trust, systemClock);
    }
    default:
      return new TcpStream(connection, reach);
  }
}

/** A stream to a Unix socket of this machine. Emits "connect" when it is up, and "error" where it is not. */
class UnixStream extends SocketStream {
  /** `path`: absolute. */
  constructor(path: string, reach: TargetReach) {
    super(async (_signal, onread) => connect({ path: await guardSocket(path, reach), onread }));
  }
}
