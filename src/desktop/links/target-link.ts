import type { Connection } from "../connections/connection.ts";
import type { Link } from "../link.ts";
import { kasmLink } from "./kasmvnc/open-kasm.ts";
import type { LinkMeans } from "./link-means.ts";
import { rdpLink } from "./rdp/open-rdp.ts";
import { vncLink } from "./vnc/open-vnc.ts";

/** A link to whatever a connection leads to over the network; it decodes on the thread that calls this. */
export function makeTargetLink(connection: Connection, means: LinkMeans): Link {
  switch (connection.protocol) {
    case "kasmvnc":
      return kasmLink(connection, means);
    case "rdp":
      return rdpLink(connection, means);
    case "vnc":
    case "demo":
    case "replay":
      return vncLink(connection, means);
  }
}
