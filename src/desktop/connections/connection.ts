import { randomUUID } from "node:crypto";
import { ENCODING_NAMES } from "../../protocols/rfb/encodings/list.ts";
import { SECURITY_NAMES } from "../../protocols/rfb/security/policy.ts";
import { RefusedError } from "../error.ts";
import {
  type ConnectionFields,
  type RdpFields,
  readFields,
  TRANSPORTS,
  type Transport,
} from "./connection-fields.ts";
import { checkMonitors, rdpFieldsIn } from "./rdp-options.ts";
import { ALL_TARGET_PROTOCOLS, DEBUGGING_PORT } from "./target-protocols.ts";
import { checkedTransport } from "./transport.ts";

export const PROTOCOLS = [...ALL_TARGET_PROTOCOLS, "demo"] as const;
/** replay: a recording, shown as a desktop; never configured, never stored. */
export type Protocol = (typeof PROTOCOLS)[number] | "replay";

/** What a replay shows. */
interface ReplayOptions {
  readonly recordingId: string;
  /** Where it stands at first, since the recording began. */
  readonly startMs: number;
}

/** The port a protocol's servers listen on unless told otherwise. */
const DEFAULT_PORT = {
  vnc: 5900,
  kasmvnc: 6901,
  rdp: 3389,
  browser: 0,
  demo: 0,
  replay: 0,
} as const satisfies Record<Protocol, number>;

/** Of a browser that runs already: what everybody gives --remote-debugging-port. */
const USUAL_DEBUGGING_PORT = 9222;

/** What is configured about a target. A Desktop is what is live. The password is sent nowhere but to the target. */
export interface Connection extends Omit<ConnectionFields, "protocol" | "username" | "password"> {
  readonly id: string;
  readonly name: string;
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
  readonly password: string | null;
  readonly replay?: ReplayOptions;
  readonly createdAt: string;
}

export interface ConnectionInput extends Omit<ConnectionFields, "protocol" | "username" | "password"> {
  readonly id?: string;
  readonly protocol: Protocol;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly replay?: ReplayOptions;
}

/** Throws RefusedError invalid_parameters for a way that leads nowhere. */
export function makeConnection(input: ConnectionInput, now: Date): Connection {
  if (input.protocol === "rdp") checkRdp(input);
  checkBrowser(input);
  const { transport, rdp, ...said } = input;
  const made = {
    ...said,
    ...withoutDefaults({ transport, rdp }),
    ...placeOf(input),
    id: input.id ?? randomUUID(),
    username: input.username ?? null,
    password: input.password ?? null,
    createdAt: now.toISOString(),
  };
  return { ...made, name: input.name ?? nameOf(made) };
}

/** As a connection has them: the transport tcp and no wishes are none, so that what means the same compares equal. */
export function withoutDefaults({
  transport,
  rdp,
}: {
  readonly transport: Transport | undefined;
  readonly rdp: RdpFields | undefined;
}): Pick<Connection, "transport" | "rdp"> {
  return {
    ...(transport === undefined || transport === "tcp" ? {} : { transport }),
    ...(rdp === undefined || Object.keys(rdp).length === 0 ? {} : { rdp }),
  };
}

const LONGEST_NAME = 100;

/** Everybody sees it: the address of a WebSocket may hold a token. */
function nameOf({ protocol, host, port, transport, path }: Omit<Connection, "name">): string {
  if (protocol === "demo") return "Demo desktop";
  if (protocol === "browser" && host === "") return "Browser";
  return (transport === "unix" && path !== undefined ? path : `${host}:${port}`).slice(0, LONGEST_NAME);
}

/** One of ours runs here, and one that runs already is as it was started: what else is said would not be looked at. */
function checkBrowser({ protocol, browser, host = "", port = 0 }: ConnectionInput): void {
  if (protocol !== "browser") {
    if (browser === undefined) return;
    throw new RefusedError(
      "invalid_parameters",
      `got browser for ${protocol}, expected it for browser alone`,
    );
  }
  const refuse = (message: string): never => {
    throw new RefusedError("invalid_parameters", message);
  };
  if (host === "") {
    if (port !== 0) refuse("got a port and no host for browser, expected both of one that runs, or none");
    return;
  }
  const { width: _, height: __, ...ours } = browser ?? {};
  const [vain] = Object.keys(ours);
  if (vain !== undefined) {
    refuse(`got browser.${vain} for one that runs already, expected width and height alone`);
  }
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

function placeOf(input: ConnectionInput): ReturnType<typeof checkedTransport> {
  const { protocol, host, port = DEFAULT_PORT[protocol] } = input;
  if (protocol === "browser" && (host ?? "") !== "")
    return { host: host ?? "", port: port || USUAL_DEBUGGING_PORT };
  if (protocol !== "vnc" && protocol !== "kasmvnc") return { host: host ?? "", port };
  return checkedTransport(protocol, input, input, DEFAULT_PORT[protocol]);
}

/**
 * `vnc://[user[:password]@]host[:port][?security=NAME,…][&fingerprint=SHA256][&encodings=NAME,…][&decoding=WORD][&keep_awake_s=SECONDS]`, the same with `kasmvnc://`, or `demo:`.
 * Other ways to get there: `vnc+unix:///path`, `vnc+ws://host/path` and `vnc+wss://` (with `http_username` and
 * `http_password` in the query for the web server), `vnc+reverse://[address]`, `vnc+repeater://host/ID`,
 * `kasmvnc+ws://` and `kasmvnc+wss://`. A browser of ours is `browser:`, `browser:https://page` or `browser:?page=…&profile=…`, one that runs already `browser+cdp://host[:port]`. `rdp://user:password@host[:port]` has the query of `rdpFieldsIn`.
 */
export function connectionFromUrl(text: string): ConnectionInput {
  if (text === "demo:" || text === "demo") return { protocol: "demo" };
  if (text.startsWith("browser:")) return browserFromUrl(text.slice("browser:".length));
  const redacted = text.replace(/\/\/.*@/, "//***@").replace(/http_password=[^&]*/g, "http_password=***");
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new RefusedError(
      "invalid_parameters",
      `cannot read the connection URL ${redacted}: expected vnc://[user[:password]@]host[:port], kasmvnc://…, rdp://…, browser:, browser+cdp://… or demo:`,
      { cause },
    );
  }
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "rdp") {
    const input = readFields({ ...placeIn(url), protocol: scheme, rdp: rdpFieldsIn(url.searchParams) });
    checkRdp(input);
    return input;
  }
  if (scheme === DEBUGGING_PORT) return runningBrowserFrom(url, redacted);
  const [protocol, plus] = scheme.split("+", 2);
  const transport = TRANSPORTS.find((known) => known === plus);
  if ((protocol !== "vnc" && protocol !== "kasmvnc") || (plus !== undefined && transport === undefined)) {
    throw new RefusedError(
      "invalid_parameters",
      `the connection URL ${redacted} has scheme ${scheme}: expected vnc, kasmvnc, rdp, browser, browser+cdp or demo, or vnc+ and one of ${TRANSPORTS.join(", ")}`,
    );
  }
  if (url.hostname === "" && transport !== "unix" && transport !== "reverse") {
    throw new RefusedError("invalid_parameters", `the connection URL ${redacted} names no host`);
  }
  return readFields({
    protocol,
    ...placeIn(url),
    ...(transport === undefined ? {} : wayIn(url, transport)),
  });
}

/** What follows "browser:": nothing, a page, or a query with the fields of `browser`. */
function browserFromUrl(said: string): ConnectionInput {
  if (said === "") return { protocol: "browser" };
  if (!said.startsWith("?")) return readFields({ protocol: "browser", browser: { page: said } });
  return readFields({ protocol: "browser", browser: browserFieldsIn(new URLSearchParams(said)) });
}

/** `browser+cdp://host[:port][?width=…&height=…]` */
function runningBrowserFrom(
  { hostname, port, username, password, pathname, searchParams }: URL,
  said: string,
) {
  if (hostname === "" || `${username}${password}` !== "" || pathname.length > 1) {
    throw new RefusedError(
      "invalid_parameters",
      `got the connection URL ${said}, expected ${DEBUGGING_PORT}://host[:port] and neither user nor path`,
    );
  }
  const browser = searchParams.size === 0 ? {} : { browser: browserFieldsIn(searchParams) };
  const input = readFields({
    ...{ protocol: "browser", host: hostname.replace(/^\[(.*)\]$/, "$1"), ...browser },
    ...(port === "" ? {} : { port: Number(port) }),
  });
  checkBrowser(input);
  return input;
}

function browserFieldsIn(params: URLSearchParams): Record<string, unknown> {
  const entries = Array.from(params, ([name, text]) => {
    return [name, name === "width" || name === "height" ? Number(text) : text] as const;
  });
  return Object.fromEntries(entries);
}

/** Where, as whom, and whom to believe. */
function placeIn(url: URL): Record<string, unknown> {
  const fields = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? "" : Number(url.port),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
  const said = Object.entries(fields).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(said), ...wordsIn(url.searchParams, WORDS) };
}

function wayIn(url: URL, transport: Transport): Record<string, unknown> {
  const path = decodeURIComponent(url.pathname);
  switch (transport) {
    case "unix":
      return { transport, path };
    case "repeater":
      return { transport, repeater_id: path.slice(1) };
    case "ws":
    case "wss": {
      const query = new URLSearchParams(url.searchParams);
      for (const name of [...Object.keys(WORDS), ...Object.keys(HTTP_WORDS)]) query.delete(name);
      const rest = query.size === 0 ? "" : `?${query}`;
      const hasPath = url.pathname !== "" && url.pathname !== "/";
      const said = { transport, ...wordsIn(url.searchParams, HTTP_WORDS) };
      return hasPath || rest !== "" ? { ...said, path: `${url.pathname}${rest}` } : said;
    }
    default:
      return { transport };
  }
}

type Words = Readonly<Record<string, (text: string) => unknown>>;

/** Said to us in the query of a URL, in any case and with blanks; the rest of it is the web server's. */
const WORDS: Words = {
  security: (text) => listOf(text, SECURITY_NAMES),
  fingerprint: String,
  encodings: (text) => listOf(text, ENCODING_NAMES),
  decoding: String,
  keep_awake_s: Number,
  files: String,
};
const HTTP_WORDS: Words = { http_username: String, http_password: String };

function wordsIn(params: URLSearchParams, words: Words): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([name, read]) => {
      const text = params.get(name);
      return text === null ? [] : [[name, read(text)]];
    }),
  );
}

/** As the known names are written; what is none of them is left to whoever judges it. */
function listOf(text: string, names: readonly string[]): string[] {
  return text.split(",").map((word) => {
    const wanted = word.trim().toLowerCase();
    return names.find((name) => name.toLowerCase() === wanted) ?? word.trim();
  });
}
