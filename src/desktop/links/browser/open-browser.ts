import { join } from "node:path";
import { systemClock } from "../../../platform/clock.ts";
import type { Connection } from "../../connections/connection.ts";
import { LinkError } from "../../error.ts";
import type { Link } from "../../link.ts";
import type { LinkParts } from "../link-parts.ts";
import { BrowserLink } from "./browser-link.ts";
import { ChromiumStream } from "./chromium.ts";
import { DebuggingPortStream } from "./debugging-port.ts";

const SIZE = { width: 1280, height: 800 } as const;

/** A Chromium of our own, or one that runs already where the connection names its debugging port. */
export function browserLink(connection: Connection, parts: LinkParts): Link {
  const { browser = {}, host } = connection;
  const size = { ...SIZE, ...pick(browser) };
  const clock = parts.clock ?? systemClock;
  if (host !== "") {
    const connect = () => new DebuggingPortStream(connection, parts.reach);
    const { framebuffer } = parts;
    return new BrowserLink({ connect, isOwn: false, size, page: null, framebuffer }, clock);
  }
  // Chromium refuses to make its sandbox for root.
  const isSandboxed = browser.sandbox !== "off" && process.getuid?.() !== 0;
  const connect = () =>
    new ChromiumStream({
      size,
      isSandboxed,
      profile: browser.profile === undefined ? null : profileFolder(parts.browsers.profiles, browser.profile),
      environment: parts.browsers.environment,
      reach: parts.reach,
      reachesPrivate: browser.networks === "all",
    });
  return new BrowserLink(
    {
      ...{ connect, isOwn: true, size, page: browser.page ?? null, framebuffer: parts.framebuffer },
      note: isSandboxed ? "" : "without its sandbox",
    },
    clock,
  );
}

function pick({ width, height }: NonNullable<Connection["browser"]>) {
  return { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
}

function profileFolder(profiles: string | null, name: string): string {
  if (profiles !== null) return join(profiles, name);
  throw new LinkError("no_browser", "there is no folder for the profiles of browsers", { isFinal: true });
}
