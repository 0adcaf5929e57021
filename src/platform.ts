import { systemClock } from "./desktop/clock.ts";
import type { Connection } from "./desktop/connection.ts";
import type { KnownTargets } from "./desktop/known-targets.ts";
import type { Link } from "./desktop/link.ts";
import { KasmLink } from "./desktop/links/kasm-link.ts";
import { judgeByAuthorities, KasmSocket } from "./desktop/links/kasm-socket.ts";
import { rfbCrypto } from "./desktop/links/rfb-crypto.ts";
import { TargetSecurity } from "./desktop/links/target-security.ts";
import { TcpStream } from "./desktop/links/tcp-stream.ts";
import { VncLink } from "./desktop/links/vnc-link.ts";
import type { OwnListener } from "./desktop/target-guard.ts";
import { TargetTrust, type TlsTrust } from "./desktop/trust.ts";
import { jpegTurbo } from "./imaging/jpeg-turbo.ts";
import { chooseInflate, nodeDeflate } from "./imaging/node-zlib.ts";
import { decodeWebp } from "./imaging/webp-decode.ts";

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
}

/** An empty password is one for whoever asks for it, and none for whoever does not. */
const WITH_EMPTY_PASSWORD = ["X509Vnc", "X509None", "TLSVnc", "TLSNone", "VncAuth", "None"] as const;

/** A link to a VNC server over TCP; `own` is where this appliance listens itself, which is never a target. */
export function openVncLink(
  { host, port, username, password, security, fingerprint }: Connection,
  own: readonly OwnListener[],
  { trust: mode, known }: TargetBelief,
): Link {
  const trust = new TargetTrust({ host, port, fingerprint: fingerprint ?? null }, mode, known);
  const targetSecurity = new TargetSecurity(host, trust);
  const allowed = security ?? (password === "" ? WITH_EMPTY_PASSWORD : "auto");
  return new VncLink(
    {
      connect: () => new TcpStream(host, port, own),
      emitsConnect: true,
      username,
      password,
      security: { allowed, needsIdentity: trust.needsIdentity },
      secure: (effect, stream) => targetSecurity.perform(effect, stream),
    },
    PLATFORM,
    systemClock,
  );
}

/** A link to a KasmVNC server; name and password are for its web server. */
export function openKasmLink(
  { host, port, username, password }: Connection,
  own: readonly OwnListener[],
): Link {
  const target = { host, port, username, password, tls: "auto" } as const;
  return new KasmLink(
    { connect: () => new KasmSocket(target, own, judgeByAuthorities) },
    { ...PLATFORM, decodeWebp },
    systemClock,
  );
}
