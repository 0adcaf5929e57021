import type { Duplex } from "node:stream";
import type { Config } from "./config.ts";
import { systemClock } from "./desktop/clock.ts";
import type { Connection } from "./desktop/connection.ts";
import type { KnownTargets } from "./desktop/known-targets.ts";
import type { Link } from "./desktop/link.ts";
import { KasmLink } from "./desktop/links/kasm-link.ts";
import { openKasmSocket } from "./desktop/links/kasm-socket.ts";
import { RdpLink } from "./desktop/links/rdp-link.ts";
import { RdpSessions } from "./desktop/links/rdp-sessions.ts";
import { type ReverseListen, ReverseStream } from "./desktop/links/reverse-stream.ts";
import { rfbCrypto } from "./desktop/links/rfb-crypto.ts";
import { TargetSecurity } from "./desktop/links/target-security.ts";
import { TcpStream } from "./desktop/links/tcp-stream.ts";
import { UnixStream } from "./desktop/links/unix-stream.ts";
import { VncLink } from "./desktop/links/vnc-link.ts";
import { openVncSocket } from "./desktop/links/vnc-socket.ts";
import type { OwnListener } from "./desktop/target-guard.ts";
import { TargetTrust, type TlsTrust } from "./desktop/trust.ts";
import { jpegTurbo } from "./imaging/jpeg-turbo.ts";
import { chooseInflate, nodeDeflate } from "./imaging/node-zlib.ts";
import { decodeWebp } from "./imaging/webp-decode.ts";
import { encodingByName } from "./protocols/rfb/encodings/list.ts";

/** What the rooms need of the platform, on Node. */
export const PLATFORM = {
  inflate: chooseInflate(),
  deflate: nodeDeflate,
  jpeg: jpegTurbo,
  crypto: rfbCrypto,
} as const;

/** How targets that prove who they are are believed. */
export interface TargetBelief {
  readonly trust: TlsTrust;
  /** null: nothing is remembered. */
  readonly known: KnownTargets | null;
  /** Where servers that connect by themselves may reach us; default loopback. */
  readonly reverseListen?: ReverseListen;
  /** RDP hosts have to check the password before a session begins; default false. */
  readonly needsNla?: boolean;
}

/** As it is configured. */
export function beliefOf({ targets }: Pick<Config, "targets">, known: KnownTargets): TargetBelief {
  return {
    trust: targets.tls_trust,
    known,
    reverseListen: targets.reverse_listen,
    needsNla: targets.require_nla,
  };
}

/** An empty password is one for whoever asks for it, and none for whoever does not. */
const WITH_EMPTY_PASSWORD = ["X509Vnc", "X509None", "TLSVnc", "TLSNone", "VncAuth", "None"] as const;

function numbersOf(encodings: readonly string[]): number[] {
  return encodings.flatMap((name) => encodingByName(name)?.number ?? []);
}

/** A link to a VNC server; `own` is where this appliance listens itself, which is never a target. */
export function openVncLink(connection: Connection, own: readonly OwnListener[], belief: TargetBelief): Link {
  const { username, password, security, transport, repeaterId, encodings } = connection;
  const outer = trustOf(connection, belief);
  const trust = transport === "wss" ? trustInside(connection, belief) : outer;
  const targetSecurity = new TargetSecurity(transport === "unix" ? "" : connection.host, trust);
  const allowed = security ?? (password === "" ? WITH_EMPTY_PASSWORD : "auto");
  return new VncLink(
    {
      connect: () => streamTo(connection, own, belief, outer),
      emitsConnect: true,
      hasConnectLimit: transport !== "reverse",
      repeater: repeaterId ?? null,
      ...(encodings === undefined ? {} : { encodings: numbersOf(encodings) }),
      username,
      password,
      security: { allowed, needsIdentity: trust.needsIdentity },
      secure: (effect, stream) => targetSecurity.perform(effect, stream),
    },
    PLATFORM,
    systemClock,
  );
}

function trustOf(connection: Connection, { trust, known }: TargetBelief): TargetTrust {
  const { host, port, fingerprint = null, transport, path = "" } = connection;
  // A socket's path and a repeater's guest are places of their own.
  if (transport === "unix") return new TargetTrust({ host: path, port, fingerprint }, trust, known);
  const { repeaterId } = connection;
  const place = repeaterId === undefined ? host : `${repeaterId}@${host}`;
  return new TargetTrust({ host: place, port, fingerprint }, trust, known);
}

/** Forgets what a target proved itself by; true where anything was known. */
export async function forgetIdentity(connection: Connection, belief: TargetBelief): Promise<boolean> {
  const { known } = belief;
  if (known === null) return false;
  const places = [trustOf(connection, belief), trustInside(connection, belief)].map(({ place }) => place);
  const forgotten = await Promise.all(places.map((place) => known.forget(place)));
  return forgotten.includes(true);
}

/** The WebSocket's TLS has proved the target already; what it shows within is another certificate or key. */
function trustInside({ host, port, path = "" }: Connection, { trust, known }: TargetBelief): TargetTrust {
  return new TargetTrust({ host: `${path}@${host}`, port, fingerprint: null }, trust, known);
}

function streamTo(
  { host, port, transport, path = "", http }: Connection,
  own: readonly OwnListener[],
  { reverseListen = "loopback" }: TargetBelief,
  trust: TargetTrust,
): Duplex {
  switch (transport) {
    case "unix":
      return new UnixStream(path);
    case "reverse":
      return new ReverseStream(host, port, reverseListen);
    case "ws":
    case "wss": {
      const access = http ?? { username: null, password: null, headers: {} };
      const target = { host, port, path, isSecure: transport === "wss", access };
      return openVncSocket(target, own, trust, systemClock);
    }
    default:
      return new TcpStream(host, port, own);
  }
}

/** Accounts at hosts that links of this process have signed in to. */
const RDP_SESSIONS = new RdpSessions();

/** What RDP hosts are asked for unless the connection says otherwise. */
const RDP_SIZE = { width: 1280, height: 800 } as const;

/** A link to an RDP host, whose name and password are known. */
export function openRdpLink(
  connection: Connection,
  own: readonly OwnListener[],
  { trust, known, needsNla = false }: TargetBelief,
): Link {
  const { host, port, username, password, fingerprint = null, rdp = {} } = connection;
  return new RdpLink(
    {
      connect: () => new TcpStream(host, port, own),
      host,
      trust: new TargetTrust({ host, port, fingerprint }, trust, known),
      claim: () => RDP_SESSIONS.claim(`${username}@${host}:${port}`),
      username: username ?? "",
      password: password ?? "",
      size: rdp.size ?? RDP_SIZE,
      needsNla: rdp.needsNla ?? needsNla,
      hasGraphicsPipeline: rdp.graphics === "pipeline",
      ...(rdp.depth === undefined ? {} : { colourDepth: rdp.depth }),
      ...(rdp.keyboardLayout === undefined ? {} : { keyboardLayout: rdp.keyboardLayout }),
    },
    systemClock,
  );
}

/** A link to whatever a connection leads to over the network. */
export function openTargetLink(
  connection: Connection,
  own: readonly OwnListener[],
  belief: TargetBelief,
): Link {
  switch (connection.protocol) {
    case "kasmvnc":
      return openKasmLink(connection, own, belief);
    case "rdp":
      return openRdpLink(connection, own, belief);
    default:
      return openVncLink(connection, own, belief);
  }
}

/** How a KasmVNC server's TLS follows from the transport that was asked for. */
const KASM_TLS = { ws: "never", wss: "always" } as const;

/** A link to a KasmVNC server; name and password are for its web server. */
export function openKasmLink(
  connection: Connection,
  own: readonly OwnListener[],
  belief: TargetBelief,
): Link {
  const { host, port, username, password, transport } = connection;
  const tls = transport === "ws" || transport === "wss" ? KASM_TLS[transport] : "auto";
  const trust = trustOf(connection, belief);
  return new KasmLink(
    {
      connect: () => openKasmSocket({ host, port, username, password, tls }, own, trust, systemClock),
    },
    { ...PLATFORM, decodeWebp },
    systemClock,
  );
}
