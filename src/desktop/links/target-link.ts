import type { Connection } from "../connections/connection.ts";
import type { Link } from "../link.ts";
import { kasmLink } from "./kasmvnc/open-kasm.ts";
import type { LinkParts } from "./link-parts.ts";
import { rdpLink } from "./rdp/open-rdp.ts";
import { vncLink } from "./vnc/open-vnc.ts";

/** A link to whatever a connection leads to over the network; it decodes on the thread that calls this. */
export function makeTargetLink(connection: Connection, parts: LinkParts): Link {
  switch (connection.protocol) {
    case "kasmvnc":
      return kasmLink(connection, parts);
    case "rdp":
      return rdpLink(connection, parts);
    case "vnc":
    case "demo":
    case "replay":
      return vncLink(connection, parts);
  }
}
