import type { Connection } from "../connections/connection.ts";
import type { Link } from "../link.ts";
import { browserLink } from "./browser/open-browser.ts";
import { kasmLink } from "./kasmvnc/open-kasm.ts";
import type { LinkParts } from "./link-parts.ts";
import { rdpLink } from "./rdp/open-rdp.ts";
import { vncLink } from "./vnc/open-vnc.ts";

/** A link to whatever a connection leads to over the network; it decodes on the thread that calls this. */
export function makeTargetLink(connection: Connection, parts: LinkParts): Link {
  switch (connection.protocol) {
    case "kasmvnc":
      return kasmLink(connection, parts);
    case "browser":
      return browserLink(connection, parts);
    case "rdp":
      return rdpLink(connection, parts);
    case "vnc":
    case "demo":
    case "replay":
      return vncLink(connection, parts);
  }
}

/**
 * The thread that a connection's link decodes on. RDP hosts and browsers never have the main thread; VNC and KasmVNC servers have it
 * unless a thread was asked for: their pieces are read in slices (SlicedReader), which keeps its turns as short as a
 * thread would (docs/adr/0009). A server that connects to us does so on a listening socket, which belongs to the main
 * thread.
 */
export function decodingThread({ protocol, transport, decoding }: Connection): "main" | "worker" {
  if (protocol === "rdp" || protocol === "browser") return "worker";
  return decoding === "worker" && transport !== "reverse" ? "worker" : "main";
}
