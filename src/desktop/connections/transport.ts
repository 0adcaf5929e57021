import { RefusedError } from "../error.ts";
import { type ConnectionFields, DEFAULT_WEB_PATH, type Transport } from "./connection-fields.ts";

/** The usual ports, where they are not the protocol's own: websockify's, a listening viewer's, a repeater's. */
const PORTS: Readonly<Partial<Record<Transport, number>>> = {
  unix: 0,
  ws: 6080,
  wss: 6080,
  reverse: 5500,
  repeater: 5901,
};

/** What a kernel takes for the address of a Unix socket, without its final zero. */
const MOST_SOCKET_PATH_BYTES = 107;
/** UltraVNC's field holds 250 bytes, "ID:" among them. */
const MOST_REPEATER_ID = 240;
const MOST_HEADERS = 16;

/** Those that make the request a WebSocket's, or are said elsewhere. */
const OWN_HEADERS =
  /^(host|origin|connection|upgrade|content-length|transfer-encoding|authorization|sec-websocket-.*)$/i;

/** The part of a connection that says how bytes get there. */
export type TransportChoice = Pick<
  ConnectionFields,
  "transport" | "path" | "repeater_id" | "http_username" | "http_password" | "http_headers"
>;

/** Where a way leads, as far as it was said. */
export interface Place {
  readonly host?: string;
  readonly port?: number;
}

/**
 * What defaults add to the way, and the place it leads to. Throws RefusedError invalid_parameters for what cannot be.
 * `ownPort`: the protocol's own.
 */
export function checkedTransport(
  protocol: "vnc" | "kasmvnc",
  { transport, path, repeater_id, ...http }: TransportChoice,
  place: Place,
  ownPort: number,
): Pick<TransportChoice, "path" | "repeater_id"> & Required<Place> {
  const isWeb = transport === "ws" || transport === "wss";
  if (protocol === "kasmvnc" && transport !== undefined && !isWeb) {
    throw refused(`got the transport ${transport} for kasmvnc, expected ws or wss`);
  }
  const port =
    place.port ?? (protocol === "vnc" && transport !== undefined ? PORTS[transport] : undefined) ?? ownPort;
  const { http_username, http_password, http_headers = {} } = http;
  const hasHttp = [http_username, http_password, http.http_headers].some((field) => field !== undefined);
  if (hasHttp && (!isWeb || protocol === "kasmvnc")) {
    throw refused(
      "got a user, password or headers of a web server, expected them only with the transport ws or wss of vnc",
    );
  }
  if (path !== undefined && transport !== "unix" && (!isWeb || protocol === "kasmvnc")) {
    throw refused("got a path, expected one only with the transport unix, ws or wss of vnc");
  }
  if (repeater_id !== undefined && transport !== "repeater") {
    throw refused("got a repeater's id, expected one only with the transport repeater");
  }
  switch (transport) {
    case "unix":
      // Names and ports mean nothing to it; these say which machine it is on.
      return { path: checkedSocketPath(path), host: "localhost", port: 0 };
    case "reverse":
      return { host: place.host ?? "127.0.0.1", port };
    case "repeater":
      return { repeater_id: checkedRepeaterId(repeater_id), host: checkedHost(place.host), port };
    case "ws":
    case "wss":
      checkHeaders(http_headers);
      return {
        ...(protocol === "kasmvnc" ? {} : { path: checkedWebPath(path ?? DEFAULT_WEB_PATH) }),
        host: checkedHost(place.host),
        port,
      };
    default:
      return { host: checkedHost(place.host), port };
  }
}

function refused(message: string): RefusedError {
  return new RefusedError("invalid_parameters", message);
}

function checkedHost(host: string | undefined): string {
  if (host !== undefined && host !== "") return host;
  throw refused("got no host, expected a name or an address");
}

function checkedSocketPath(path: string | undefined): string {
  const size = new TextEncoder().encode(path ?? "").length;
  if (path?.startsWith("/") && !path.includes("\0") && size <= MOST_SOCKET_PATH_BYTES) return path;
  throw refused(
    `got a socket path of ${size} bytes, expected an absolute one of at most ${MOST_SOCKET_PATH_BYTES} bytes, such as /run/vnc.sock`,
  );
}

function checkedWebPath(path: string): string {
  if (/^\/[\x21\x22\x24-\x7e]{0,2047}$/.test(path)) return path;
  throw refused(
    `got a path of ${path.length} characters, expected one that begins with / and has no spaces or #`,
  );
}

function checkedRepeaterId(id: string | undefined): string {
  if (id !== undefined && /^[\x21-\x7e]+$/.test(id) && id.length <= MOST_REPEATER_ID) {
    return /^\d+$/.test(id) ? `ID:${id}` : id;
  }
  throw refused(
    `got a repeater's id of ${id?.length ?? 0} characters, expected a number, ID:number or host:port`,
  );
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  if (entries.length > MOST_HEADERS)
    throw refused(`got ${entries.length} headers, expected at most ${MOST_HEADERS}`);
  for (const [name, value] of entries) {
    const isSound = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i.test(name) && /^[\t\x20-\x7e]{0,4096}$/.test(value);
    if (!isSound || OWN_HEADERS.test(name)) {
      throw refused(
        `got a header that cannot be sent (${name.slice(0, 40).replace(/[^\x21-\x7e]/g, "?")}), expected others`,
      );
    }
  }
}
