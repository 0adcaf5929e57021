import type { FastifyReply, FastifyRequest } from "fastify";

/** What a page elsewhere may read of an answer beside its body. */
const EXPOSED = "etag, retry-after, www-authenticate, mcp-session-id, content-disposition";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const PREFLIGHT_SECONDS = 600;

/**
 * Pages of other sites that the configuration names, exactly: they may call with a token of their own. What a browser
 * adds by itself counts for none of them (AccessGuard), so that nothing is said of credentials.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** Answers a preflight, true then; else adds to the answer what lets the page read it. */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.#origins.size === 0) return false;
    // Also for others: a cache must not give one origin what another one was given.
    reply.header("vary", "origin");
    const { origin } = request.headers;
    if (!this.allows(origin)) return false;
    reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", EXPOSED);
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) {
      return false;
    }
    const wanted = request.headers["access-control-request-headers"] ?? "";
    reply
      .code(204)
      .header("access-control-allow-methods", METHODS)
      .header("access-control-allow-headers", /^[\w ,-]{1,1000}$/.test(wanted) ? wanted : "authorization")
      .header("access-control-max-age", PREFLIGHT_SECONDS)
      .send();
    return true;
  }
}
