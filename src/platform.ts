import { systemClock } from "./desktop/clock.ts";
import type { Connection } from "./desktop/connection.ts";
import type { Link } from "./desktop/link.ts";
import { rfbCrypto } from "./desktop/links/rfb-crypto.ts";
import { TcpStream } from "./desktop/links/tcp-stream.ts";
import { VncLink } from "./desktop/links/vnc-link.ts";
import type { OwnListener } from "./desktop/target-guard.ts";
import { jpegTurbo } from "./imaging/jpeg-turbo.ts";
import { chooseInflate, nodeDeflate } from "./imaging/node-zlib.ts";

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
