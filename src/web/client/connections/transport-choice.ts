import { SECURITY_NAMES } from "../../../protocols/rfb/security/policy.ts";
import type { ConnectionBody } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { type FilledForm, field } from "./filled-form.ts";

type Transport = NonNullable<ConnectionBody["transport"]>;

/** Ways to a desktop, by protocol, in the words of the form; "" is the protocol's own. */
export const TRANSPORT_LABELS = {
  vnc: {
    "": t`Directly, to its port`,
    ws: t`Through a WebSocket`,
    wss: t`Through a WebSocket with TLS`,
    unix: t`Through a Unix socket of this server`,
    reverse: t`It connects to this server`,
    repeater: t`By way of an UltraVNC repeater`,
  },
  kasmvnc: { "": t`With TLS`, wss: t`With TLS always, on this server itself too`, ws: t`Without TLS` },
} as const satisfies Record<string, Readonly<Partial<Record<Transport | "", string>>>>;

/** What a VNC server may be asked to send its pixels by, in the words of the form; "" leaves it to us. */
export const PICTURES = {
  "": t`What is exact and quick`,
  tight: "Tight",
  zrle: "ZRLE",
  hextile: "Hextile",
  rre: "RRE",
  raw: "Raw",
  tightpng: "TightPNG",
  zlib: "Zlib",
  trle: "TRLE",
  corre: "CoRRE",
  copyrect: t`Raw with moves`,
  zywrle: t`ZYWRLE, which loses detail`,
  jpeg: t`JPEG, which loses detail`,
} as const;

/** RFC 9110 section 5.6.2, a colon, and what HTTP/1.1 lets a value hold. */
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\t\x20-\x7e\x80-\xff]{0,4096})$/;

/** Headers as people write them, a "Name: value" a line; null where a line is none. Empty lines do not count. */
export function headersIn(text: string): Readonly<Record<string, string>> | null {
  const headers: [string, string][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const [, name, value] = HEADER.exec(line.trim()) ?? [];
    if (name === undefined || value === undefined) return null;
    headers.push([name, value]);
  }
  return Object.fromEntries(headers);
}

const TRANSPORTS: readonly Transport[] = ["ws", "wss", "unix", "reverse", "repeater"];

/** The way that a form control names; undefined for the protocol's own. */
export function transportNamed(name: string): Transport | undefined {
  return TRANSPORTS.find((known) => known === name);
}

const USUAL_PORTS: ReadonlyMap<string, number> = new Map([
  ["rdp", 3389],
  ["kasmvnc", 6901],
  ["browser", 9222],
  ["ws", 6080],
  ["wss", 6080],
  ["reverse", 5500],
  ["repeater", 5901],
]);

/** The port that is meant where none is given, by protocol and way. */
export function usualPort(protocol: ConnectionBody["protocol"], transport: string): number {
  return USUAL_PORTS.get(protocol) ?? USUAL_PORTS.get(transport) ?? 5900;
}

/** False where the target is on this server, or comes to it. */
export function needsHost(transport: string): boolean {
  return transport !== "unix" && transport !== "reverse";
}

/** What the fields of the way ask for; only those that mean something to it are read, and empty ones are left out. */
export function transportFromForm(form: FilledForm): Partial<ConnectionBody> {
  const text = (name: string): string => field(form, name).trim();
  const transport = transportNamed(text("transport"));
  const fingerprint = text("fingerprint");
  const security = text("security")
    .split(",")
    .flatMap((name) => SECURITY_NAMES.find((known) => known === name) ?? []);
  const isVnc = text("protocol") !== "kasmvnc" && text("protocol") !== "rdp";
  const isWeb = isVnc && (transport === "ws" || transport === "wss");
  const path = isWeb || transport === "unix" ? text("path") : "";
  const repeaterId = transport === "repeater" ? text("repeater_id") : "";
  const [httpUser, httpPassword] = isWeb ? [text("http_username"), text("http_password")] : ["", ""];
  const headers = Object.entries((isWeb ? headersIn(text("http_headers")) : null) ?? {});
  const encodings = text("encoding")
    .split(",")
    .filter((name) => name !== "" && Object.hasOwn(PICTURES, name));
  return {
    ...(transport === undefined ? {} : { transport }),
    ...(path === "" ? {} : { path }),
    ...(repeaterId === "" ? {} : { repeater_id: repeaterId }),
    ...(httpUser === "" ? {} : { http_username: httpUser }),
    ...(httpUser === "" || httpPassword === "" ? {} : { http_password: httpPassword }),
    ...(headers.length === 0 ? {} : { http_headers: Object.fromEntries(headers) }),
    ...(encodings.length > 0 && isVnc ? { encodings } : {}),
    ...(security.length > 0 && isVnc ? { security } : {}),
    ...(fingerprint === "" ? {} : { fingerprint }),
  };
}
