import { systemClock } from "./desktop/clock.ts";
import type { Connection } from "./desktop/connection.ts";
import type { Link } from "./desktop/link.ts";
import { KasmLink } from "./desktop/links/kasm-link.ts";
import { judgeByAuthorities, KasmSocket } from "./desktop/links/kasm-socket.ts";
import { rfbCrypto } from "./desktop/links/rfb-crypto.ts";
import { TcpStream } from "./desktop/links/tcp-stream.ts";
import { VncLink } from "./desktop/links/vnc-link.ts";
import type { OwnListener } from "./desktop/target-guard.ts";
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

/** A link to a VNC server over TCP; `own` is where this appliance listens itself, which is never a target. */
export function openVncLink({ host, port, password }: Connection, own: readonly OwnListener[]): Link {
  return new VncLink(
    { connect: () => new TcpStream(host, port, own), emitsConnect: true, password },
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
