import { isIP } from "node:net";
import { WebError } from "./error.ts";

/** What is known of a request before anything else is done with it. */
export interface GuardedRequest {
  readonly protocol: string;
  /** The Host header as it was sent. */
  readonly hostHeader: string | undefined;
  /** How many of them there are: what is in front of us may have judged another one. */
  readonly hostHeaders: number;
  /** The host that a trusted proxy says was asked for; the same as the header where there is none. */
  readonly forwardedHost: string;
  readonly origin: string | undefined;
  /** What the route wants it to be, instead of one of our pages. */
  readonly onlyOrigin?: string | undefined;
  /** Our end of the connection. */
  readonly localAddress: string | undefined;
}

/**
 * Lets only those in who asked for us by a name that is ours, from a page that is ours: the defence against DNS
 * rebinding and against other sites' scripts and WebSockets.
 */
export class HostGuard {
  readonly #boundHost: string;
  readonly #allowed: ReadonlySet<string>;

  readonly #origins: ReadonlySet<string>;

  /** `origins`: other sites whose pages may call, to the letter. */
  constructor(boundHost: string, allowedHosts: readonly string[], origins: readonly string[] = []) {
    this.#origins = new Set(origins);
    this.#boundHost = boundHost.toLowerCase();
    this.#allowed = new Set(
      allowedHosts.map((host) => host.trim().toLowerCase()).filter((host) => host !== ""),
    );
  }

  /** Throws WebError bad_host or bad_origin. */
  check(request: GuardedRequest): void {
    if (request.hostHeaders > 1) {
      throw new WebError("bad_host", `the request has ${request.hostHeaders} Host headers, expected one`);
    }
    // Both: a page on a rebound name can set X-Forwarded-Host but never Host.
    const sent = this.#host(request.hostHeader, request);
    const asked =
      request.forwardedHost === request.hostHeader ? sent : this.#host(request.forwardedHost, request);
    if (request.onlyOrigin !== undefined) {
      if (request.origin === request.onlyOrigin) return;
      throw new WebError(
        "bad_origin",
        "the Origin header does not name the program that this address is for",
      );
    }
    if (request.origin !== undefined) this.#checkOrigin(request.origin, asked, request.protocol);
  }

  #host(text: string | undefined, request: GuardedRequest): URL {
    const url = hostUrl(text ?? "", request.protocol);
    if (url === null || !this.#isOurs(url, request.localAddress)) {
      throw new WebError("bad_host", "the Host header names a host that this server does not answer for");
    }
    return url;
  }

  #isOurs(url: URL, localAddress: string | undefined): boolean {
    const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
    if (name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."))) return true;
    if (this.#isAllowed(url)) return true;
    if (name === this.#boundHost && name !== "0.0.0.0" && name !== "::") return true;
    // An address cannot be rebound, so the one that the connection reached is ours.
    return isIP(name) !== 0 && name === localAddress?.replace(/^::ffff:/, "");
  }

  #isAllowed(url: URL): boolean {
    return this.#allowed.has(url.hostname) || this.#allowed.has(url.host);
  }

  #checkOrigin(text: string, asked: URL, protocol: string): void {
    const origin = originUrl(text);
    // A TLS proxy that we were not told to trust makes us think http; the other way round is a downgrade.
    const isSame =
      origin !== null &&
      hostOf(origin) === hostOf(hostUrl(asked.host, origin.protocol.slice(0, -1))) &&
      (origin.protocol === "https:" || protocol === "http");
    if (isSame || this.#origins.has(text) || (origin !== null && this.#isAllowed(origin))) return;
    throw new WebError("bad_origin", "the Origin header names another site than this server");
  }
}

function hostUrl(host: string, protocol: string): URL | null {
  if (!/^[A-Za-z0-9._:[\]-]+$/.test(host)) return null;
  const text = `${protocol === "https" ? "https" : "http"}://${host}`;
  return URL.canParse(text) ? new URL(text) : null;
}

function hostOf(url: URL | null): string {
  return url?.host ?? "";
}

function originUrl(origin: string): URL | null {
  if (!URL.canParse(origin)) return null;
  const url = new URL(origin);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && url.origin === origin.toLowerCase() ? url : null;
}
