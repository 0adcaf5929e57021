import { boundRects, EMPTY_RECT } from "../../../framebuffer/rect.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { Connection } from "../../connections/connection.ts";
import type { Link } from "../../link.ts";
import type { LinkParts } from "../link-parts.ts";
import { TcpStream } from "../streams/tcp-stream.ts";
import { RdpLink } from "./rdp-link.ts";

/** What RDP hosts are asked for unless the connection says otherwise. */
const RDP_SIZE = { width: 1280, height: 800 } as const;

/** As Windows writes accounts: DOMAIN\\name. What else there is, name@domain too, is all of it the name. */
export function rdpAccount(account: string): { readonly username: string; readonly domain?: string } {
  const [domain, ...rest] = account.split("\\");
  const username = rest.join("\\");
  return domain === undefined || domain === "" || username === ""
    ? { username: account }
    : { username, domain };
}

/** To an RDP host, whose name and password are known. */
export function rdpLink(
  connection: Connection,
  { reach, trust, needsNla, claim, framebuffer, clock }: LinkParts,
): Link {
  const { host, username, password, rdp = {} } = connection;
  const { width, height } = { ...RDP_SIZE, ...rdp };
  return new RdpLink(
    {
      connect: () => new TcpStream(connection, reach),
      host,
      trust,
      claim,
      ...rdpAccount(username ?? ""),
      password: password ?? "",
      size: rdp.monitors?.reduce(boundRects, EMPTY_RECT) ?? { width, height },
      monitors: rdp.monitors,
      needsNla: rdp.require_nla ?? needsNla,
      hasSound: true,
      hasFiles: connection.files === "on",
      hasGraphicsPipeline: rdp.graphics === "pipeline",
      colourDepth: rdp.depth,
      keyboardLayout: rdp.keyboard_layout,
      framebuffer,
    },
    clock ?? systemClock,
  );
}
