import { systemClock } from "../../../platform/clock.ts";
import type { Connection } from "../../connections/connection.ts";
import type { Link } from "../../link.ts";
import type { LinkParts } from "../link-parts.ts";
import { PLATFORM } from "../link-platform.ts";
import { KasmLink, type KasmLinkPorts } from "./kasm-link.ts";
import { openKasmSocket } from "./kasm-socket.ts";

/** Loaded by who needs it: KasmVNC's WebP alone. */
const decodeWebp: KasmLinkPorts["decodeWebp"] = async (bytes, size) =>
  (await import("../../../imaging/webp/webp-decode.ts")).decodeWebp(bytes, size);

/** How a KasmVNC server's TLS follows from the transport that was asked for. */
const KASM_TLS = { ws: "never", wss: "always" } as const;

/** To a KasmVNC server; name and password are for its web server. */
export function kasmLink(connection: Connection, parts: LinkParts): Link {
  const { host, port, username, password, transport } = connection;
  const tls = transport === "ws" || transport === "wss" ? KASM_TLS[transport] : "auto";
  return new KasmLink(
    {
      connect: () =>
        openKasmSocket({ host, port, username, password, tls }, parts.reach, parts.trust, systemClock),
      framebuffer: parts.framebuffer,
    },
    { ...PLATFORM, decodeWebp },
    parts.clock ?? systemClock,
  );
}
