import type { Duplex } from "node:stream";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { encodingByName } from "../../protocols/rfb/encodings/list.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Connection } from "../connection.ts";
import type { Link } from "../link.ts";
import type { OwnListener } from "../target-guard.ts";
import type { TargetTrust } from "../trust.ts";
import { KasmLink, type KasmLinkPorts } from "./kasm-link.ts";
import { openKasmSocket } from "./kasm-socket.ts";
import { PLATFORM } from "./link-platform.ts";
import { RdpLink, type RdpLinkOptions } from "./rdp-link.ts";
import { type ReverseListen, ReverseStream } from "./reverse-stream.ts";
import { TargetSecurity } from "./target-security.ts";
import { TcpStream } from "./tcp-stream.ts";
import { UnixStream } from "./unix-stream.ts";
import { VncLink, type VncLinkOptions } from "./vnc-link.ts";
import { openVncSocket } from "./vnc-socket.ts";

/** What a link to a target is made of beside its connection; the same on every thread. */
export interface LinkMeans {
  /** Where this appliance listens itself, which is never a target. */
  readonly own: readonly OwnListener[];
  /** Of the target, or of the web server in front of it. */
  readonly trust: TargetTrust;
  /** Of what a target shows inside a WebSocket's TLS, which has proved itself already. */
  readonly trustInside: TargetTrust;
  /** Where servers that connect by themselves may reach us. */
  readonly reverseListen: ReverseListen;
  /** RDP hosts have to check the password before a session begins. */
  readonly needsNla: boolean;
  readonly claim?: NonNullable<RdpLinkOptions["claim"]>;
  /** What to draw in; default one of its own. */
  readonly framebuffer?: Framebuffer;
  readonly onTurn?: NonNullable<VncLinkOptions["onTurn"]>;
  /** Default the machine's. */
  readonly clock?: Clock;
}

/** Loaded by who needs it: KasmVNC's WebP alone. */
const decodeWebp: KasmLinkPorts["decodeWebp"] = async (bytes, size) =>
  (await import("../../imaging/webp-decode.ts")).decodeWebp(bytes, size);

/** An empty password is one for whoever asks for it, and none for whoever does not. */
const WITH_EMPTY_PASSWORD = ["X509Vnc", "X509None", "TLSVnc", "TLSNone", "VncAuth", "None"] as const;

/** What RDP hosts are asked for unless the connection says otherwise. */
const RDP_SIZE = { width: 1280, height: 800 } as const;

/** How a KasmVNC server's TLS follows from the transport that was asked for. */
const KASM_TLS = { ws: "never", wss: "always" } as const;

/** A link to whatever a connection leads to over the network; it decodes on the thread that calls this. */
export function makeTargetLink(connection: Connection, means: LinkMeans): Link {
  switch (connection.protocol) {
    case "kasmvnc":
      return kasmLink(connection, means);
    case "rdp":
      return rdpLink(connection, means);
    default:
      return vncLink(connection, means);
  }
}

function vncLink(connection: Connection, means: LinkMeans): Link {
  const { username, password, security, transport, repeaterId, encodings } = connection;
  const trust = transport === "wss" ? means.trustInside : means.trust;
  const targetSecurity = new TargetSecurity(transport === "unix" ? "" : connection.host, trust);
  const allowed = security ?? (password === "" ? WITH_EMPTY_PASSWORD : "auto");
  return new VncLink(
    {
      connect: () => streamTo(connection, means),
      emitsConnect: true,
      hasConnectLimit: transport !== "reverse",
      repeater: repeaterId ?? null,
      ...(encodings === undefined ? {} : { encodings: numbersOf(encodings) }),
      username,
      password,
      security: { allowed, needsIdentity: trust.needsIdentity },
      secure: (effect, stream) => targetSecurity.perform(effect, stream),
      ...decodingOf(means),
    },
    PLATFORM,
    means.clock ?? systemClock,
  );
}

function decodingOf({ framebuffer, onTurn }: LinkMeans): Pick<VncLinkOptions, "framebuffer" | "onTurn"> {
  return {
    ...(framebuffer === undefined ? {} : { framebuffer }),
    ...(onTurn === undefined ? {} : { onTurn }),
  };
}

function numbersOf(encodings: readonly string[]): number[] {
  return encodings.flatMap((name) => encodingByName(name)?.number ?? []);
}

function streamTo(
  { host, port, transport, path = "", http }: Connection,
  { own, trust, reverseListen }: LinkMeans,
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

/** To a KasmVNC server; name and password are for its web server. */
function kasmLink(connection: Connection, means: LinkMeans): Link {
  const { host, port, username, password, transport } = connection;
  const tls = transport === "ws" || transport === "wss" ? KASM_TLS[transport] : "auto";
  return new KasmLink(
    {
      connect: () =>
        openKasmSocket({ host, port, username, password, tls }, means.own, means.trust, systemClock),
      ...decodingOf(means),
    },
    { ...PLATFORM, decodeWebp },
    means.clock ?? systemClock,
  );
}

/** To an RDP host, whose name and password are known. */
function rdpLink(
  connection: Connection,
  { own, trust, needsNla, claim, framebuffer, clock }: LinkMeans,
): Link {
  const { host, port, username, password, rdp = {} } = connection;
  return new RdpLink(
    {
      connect: () => new TcpStream(host, port, own),
      host,
      trust,
      ...(claim === undefined ? {} : { claim }),
      username: username ?? "",
      password: password ?? "",
      size: rdp.size ?? RDP_SIZE,
      needsNla: rdp.needsNla ?? needsNla,
      hasGraphicsPipeline: rdp.graphics === "pipeline",
      ...(rdp.depth === undefined ? {} : { colourDepth: rdp.depth }),
      ...(rdp.keyboardLayout === undefined ? {} : { keyboardLayout: rdp.keyboardLayout }),
      ...(framebuffer === undefined ? {} : { framebuffer }),
    },
    clock ?? systemClock,
  );
}
