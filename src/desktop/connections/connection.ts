import { randomUUID } from "node:crypto";
import { ENCODING_NAMES, encodingByName } from "../../protocols/rfb/encodings/list.ts";
import { SECURITY_NAMES, type SecurityName } from "../../protocols/rfb/security/policy.ts";
import { RefusedError } from "../error.ts";
import { DECODING, type Decoding } from "./decoding.ts";
import { checkMonitors, type RdpWishes, rdpWishesIn } from "./rdp-options.ts";
import { checkedWay, TRANSPORTS, type Transport, type Way } from "./transport.ts";
import { readFingerprint } from "./trust-policy.ts";

export const PROTOCOLS = ["vnc", "kasmvnc", "rdp", "demo"] as const;
/** replay: a recording, shown as a desktop; never configured, never stored. */
export type Protocol = (typeof PROTOCOLS)[number] | "replay";

/** What a replay shows. */
interface ReplayWish {
  readonly recordingId: string;
  /** Where it stands at first, since the recording began. */
  readonly startMs: number;
}

/** The port a protocol's servers listen on unless told otherwise. */
const DEFAULT_PORT = {
  vnc: 5900,
  kasmvnc: 6901,
  rdp: 3389,
  demo: 0,
  replay: 0,
} as const satisfies Record<Protocol, number>;

/** What is configured about a target. A Desktop is what is live. */
export interface Connection extends Way {
  readonly id: string;
  readonly name: string;
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
  /** Never logged, listed or sent anywhere but to the target. */
  readonly password: string | null;
  /** The only ways a VNC server may let us in, the best first; default: what authenticates and is not in clear. */
  readonly security?: readonly SecurityName[];
  /** SHA-256 of the server's certificate or key, 64 hex digits: no other will do. */
  readonly fingerprint?: string;
  readonly rdp?: RdpWishes;
  /** Default auto. */
  readonly decoding?: Decoding;
  readonly replay?: ReplayWish;
  readonly createdAt: string;
}

export interface ConnectionInput extends Way {
  readonly id?: string;
  readonly name?: string;
  readonly protocol: Protocol;
  readonly host?: string;
  readonly port?: number;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly security?: readonly SecurityName[];
  /** With or without colons, in any case. */
  readonly fingerprint?: string;
  readonly rdp?: RdpWishes;
  /** Default auto. */
  readonly decoding?: Decoding;
  readonly replay?: ReplayWish;
}

/** Throws RefusedError invalid_parameters for a fingerprint that is none, and for a way that leads nowhere. */
export function makeConnection(input: ConnectionInput, now: Date): Connection {
  if (input.protocol === "rdp") checkRdp(input);
  const { host, port, ...way } = placeAndWay(input);
  return {
    id: input.id ?? randomUUID(),
    name: input.name ?? nameOf(input.protocol, { host, port, ...way }),
    protocol: input.protocol,
    host,
    port,
    username: input.username ?? null,
    password: input.password ?? null,
    ...(input.security === undefined ? {} : { security: input.security }),
    ...(input.fingerprint === undefined ? {} : { fingerprint: checkedFingerprint(input.fingerprint) }),
    ...(input.rdp === undefined ? {} : { rdp: input.rdp }),
    ...(input.decoding === undefined ? {} : { decoding: input.decoding }),
    ...(input.replay === undefined ? {} : { replay: input.replay }),
    ...way,
    ...(input.encodings === undefined ? {} : { encodings: checkedEncodings(input.encodings) }),
    createdAt: now.toISOString(),
  };
}

/** Everybody sees it: the address of a WebSocket may hold a token. */
function nameOf(protocol: Protocol, { host, port, transport, path }: ReturnType<typeof placeAndWay>): string {
  if (protocol === "demo") return "Demo desktop";
  return transport === "unix" && path !== undefined ? path : `${host}:${port}`;
}

/** RDP hosts let nobody in without both, and no host takes every layout. */
function checkRdp({ host, username, password, rdp }: ConnectionInput): void {
  if (rdp !== undefined) checkMonitors(rdp);
  const missing = [
    ...((host ?? "") === "" ? ["host"] : []),
    ...((username ?? "") === "" ? ["username"] : []),
    ...((password ?? "") === "" ? ["password"] : []),
  ];
  if (missing.length === 0) return;
  throw new RefusedError(
    "invalid_parameters",
    `got no ${missing.join(" and no ")}, expected host, username and password: RDP needs all of them`,
  );
}

function placeAndWay(input: ConnectionInput): Way & { readonly host: string; readonly port: number } {
  const { protocol, host, port = DEFAULT_PORT[protocol] } = input;
  if (protocol !== "vnc" && protocol !== "kasmvnc") return { host: host ?? "", port };
  return checkedWay(protocol, input, input, DEFAULT_PORT[protocol]);
}

/**
 * `vnc://[user[:password]@]host[:port][?security=NAME,…][&fingerprint=SHA256][&encodings=NAME,…][&decoding=WORD]`, the same with `kasmvnc://`, or `demo:`.
 * Other ways to get there: `vnc+unix:///path`, `vnc+ws://host/path` and `vnc+wss://` (with `http_username` and
 * `http_password` in the query for the web server), `vnc+reverse://[address]`, `vnc+repeater://host/ID`,
 * `kasmvnc+ws://` and `kasmvnc+wss://`. `rdp://user:password@host[:port]` has the query of `rdpWishesIn`.
 */
export function connectionFromUrl(text: string): ConnectionInput {
  if (text === "demo:" || text === "demo") return { protocol: "demo" };
  const redacted = text.replace(/\/\/.*@/, "//***@").replace(/http_password=[^&]*/g, "http_password=***");
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new RefusedError(
      "invalid_parameters",
      `cannot read the connection URL ${redacted}: expected vnc://[user[:password]@]host[:port], kasmvnc://…, rdp://… or demo:`,
      { cause },
    );
  }
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "rdp") {
    const input = { ...placeIn(url), protocol: scheme, rdp: rdpWishesIn(url.searchParams) } as const;
    checkRdp(input);
    return input;
  }
  const [protocol, plus] = scheme.split("+", 2);
  const transport = TRANSPORTS.find((known) => known === plus);
  if ((protocol !== "vnc" && protocol !== "kasmvnc") || (plus !== undefined && transport === undefined)) {
    throw new RefusedError(
      "invalid_parameters",
      `the connection URL ${redacted} has scheme ${scheme}: expected vnc, kasmvnc, rdp or demo, or vnc+ and one of ${TRANSPORTS.join(", ")}`,
    );
  }
  if (url.hostname === "" && transport !== "unix" && transport !== "reverse") {
    throw new RefusedError("invalid_parameters", `the connection URL ${redacted} names no host`);
  }
  return {
    protocol,
    ...placeIn(url),
    ...(transport === undefined ? {} : wayIn(url, transport)),
  };
}

/** Where, as whom, and whom to believe. */
function placeIn(url: URL): Omit<ConnectionInput, "protocol"> {
  return {
    ...(url.hostname === "" ? {} : { host: url.hostname.replace(/^\[(.*)\]$/, "$1") }),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    username: url.username === "" ? null : decodeURIComponent(url.username),
    password: url.password === "" ? null : decodeURIComponent(url.password),
    ...securityIn(url.searchParams),
  };
}

function wayIn(url: URL, transport: Transport): Way {
  const path = decodeURIComponent(url.pathname);
  switch (transport) {
    case "unix":
      return { transport, path };
    case "repeater":
      return { transport, repeaterId: path.slice(1) };
    case "ws":
    case "wss": {
      const query = new URLSearchParams(url.searchParams);
      const [username, password] = [query.get("http_username"), query.get("http_password")];
      for (const name of OWN_PARAMETERS) query.delete(name);
      const rest = query.size === 0 ? "" : `?${query}`;
      const hasPath = url.pathname !== "" && url.pathname !== "/";
      return {
        transport,
        ...(hasPath || rest !== "" ? { path: `${url.pathname}${rest}` } : {}),
        ...(username === null ? {} : { http: { username, password, headers: {} } }),
      };
    }
    default:
      return { transport };
  }
}

/** Said to us in the query of a URL; the rest of it is the web server's. */
const OWN_PARAMETERS = [
  "security",
  "fingerprint",
  "encodings",
  "decoding",
  "http_username",
  "http_password",
] as const;

function securityIn(
  params: URLSearchParams,
): Pick<ConnectionInput, "security" | "fingerprint" | "encodings" | "decoding"> {
  const security = params.get("security");
  const fingerprint = params.get("fingerprint");
  const encodings = params.get("encodings");
  const decoding = params.get("decoding");
  return {
    ...(security === null ? {} : { security: readSecurity(security.split(",")) }),
    ...(fingerprint === null ? {} : { fingerprint: checkedFingerprint(fingerprint) }),
    ...(encodings === null ? {} : { encodings: checkedEncodings(encodings.split(",")) }),
    ...(decoding === null ? {} : { decoding: checkedDecoding(decoding) }),
  };
}

/** Names of security types. Throws RefusedError invalid_parameters. */
function readSecurity(names: readonly string[]): SecurityName[] {
  return names.map((name) => {
    const known = SECURITY_NAMES.find((one) => one.toLowerCase() === name.trim().toLowerCase());
    if (known !== undefined) return known;
    throw new RefusedError(
      "invalid_parameters",
      `got the security type "${name}", expected one of ${SECURITY_NAMES.join(", ")}`,
    );
  });
}

function checkedDecoding(word: string): Decoding {
  const known = DECODING.find((one) => one === word);
  if (known !== undefined) return known;
  throw new RefusedError(
    "invalid_parameters",
    `got decoding "${word}", expected one of ${DECODING.join(", ")}`,
  );
}

/** In lower case. Throws RefusedError invalid_parameters for names of none. */
function checkedEncodings(names: readonly string[]): string[] {
  return names.map((name) => {
    const encoding = encodingByName(name.trim().toLowerCase());
    if (encoding !== undefined) return encoding.name;
    throw new RefusedError(
      "invalid_parameters",
      `got the encoding "${name}", expected one of ${ENCODING_NAMES.join(", ")}`,
    );
  });
}

function checkedFingerprint(text: string): string {
  const fingerprint = readFingerprint(text);
  if (fingerprint !== null) return fingerprint;
  throw new RefusedError(
    "invalid_parameters",
    `got a fingerprint of ${text.length} characters, expected the 64 hex digits of a SHA-256, with or without colons`,
  );
}
