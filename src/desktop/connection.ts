import { randomUUID } from "node:crypto";
import { SECURITY_NAMES, type SecurityName } from "../protocols/rfb/security/policy.ts";
import { RefusedError } from "./error.ts";
import { readFingerprint } from "./trust.ts";

export const PROTOCOLS = ["vnc", "kasmvnc", "demo"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The port a protocol's servers listen on unless told otherwise. */
export const DEFAULT_PORT = { vnc: 5900, kasmvnc: 6901, demo: 0 } as const satisfies Record<Protocol, number>;

/** What is configured about a target. A Desktop is what is live. */
export interface Connection {
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
  /** SHA-256 of a VNC server's certificate or key, 64 hex digits: no other will do. */
  readonly fingerprint?: string;
  readonly createdAt: string;
}

export interface ConnectionInput {
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
}

/** Throws RefusedError invalid_parameters for a fingerprint that is none. */
export function makeConnection(input: ConnectionInput, now: Date): Connection {
  const port = input.port ?? DEFAULT_PORT[input.protocol];
  const host = input.host ?? "";
  return {
    id: input.id ?? randomUUID(),
    name: input.name ?? (input.protocol === "demo" ? "Demo desktop" : `${host}:${port}`),
    protocol: input.protocol,
    host,
    port,
    username: input.username ?? null,
    password: input.password ?? null,
    ...(input.security === undefined ? {} : { security: input.security }),
    ...(input.fingerprint === undefined ? {} : { fingerprint: checkedFingerprint(input.fingerprint) }),
    createdAt: now.toISOString(),
  };
}

/** `vnc://[user[:password]@]host[:port][?security=NAME,…][&fingerprint=SHA256]`, the same with `kasmvnc://`, or `demo:`. A port below 100 is a display number only for `::`-less hosts. */
export function connectionFromUrl(text: string): ConnectionInput {
  if (text === "demo:" || text === "demo") return { protocol: "demo" };
  const redacted = text.replace(/\/\/[^@/]*@/, "//***@");
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new RefusedError(
      "invalid_parameters",
      `cannot read the connection URL ${redacted}: expected vnc://[user[:password]@]host[:port], kasmvnc://… or demo:`,
      { cause },
    );
  }
  const protocol = url.protocol.slice(0, -1);
  if (protocol !== "vnc" && protocol !== "kasmvnc") {
    throw new RefusedError(
      "invalid_parameters",
      `the connection URL ${redacted} has scheme ${protocol}: expected vnc, kasmvnc or demo`,
    );
  }
  if (url.hostname === "") {
    throw new RefusedError("invalid_parameters", `the connection URL ${redacted} names no host`);
  }
  return {
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    username: url.username === "" ? null : decodeURIComponent(url.username),
    password: url.password === "" ? null : decodeURIComponent(url.password),
    ...securityIn(url.searchParams),
  };
}

function securityIn(params: URLSearchParams): Pick<ConnectionInput, "security" | "fingerprint"> {
  const security = params.get("security");
  const fingerprint = params.get("fingerprint");
  return {
    ...(security === null ? {} : { security: readSecurity(security.split(",")) }),
    ...(fingerprint === null ? {} : { fingerprint: checkedFingerprint(fingerprint) }),
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

function checkedFingerprint(text: string): string {
  const fingerprint = readFingerprint(text);
  if (fingerprint !== null) return fingerprint;
  throw new RefusedError(
    "invalid_parameters",
    `got a fingerprint of ${text.length} characters, expected the 64 hex digits of a SHA-256, with or without colons`,
  );
}
