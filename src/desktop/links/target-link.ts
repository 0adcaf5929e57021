import type { Connection } from "../connection.ts";
import type { Link } from "../link.ts";
import type { LinkMeans } from "./link-means.ts";
import { kasmLink } from "./target-kasm.ts";
import { rdpLink } from "./target-rdp.ts";
import { vncLink } from "./target-vnc.ts";

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
