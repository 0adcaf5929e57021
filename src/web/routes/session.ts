import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuthResult } from "../../auth/authenticator.ts";
import { RefusedError } from "../../desktop/error.ts";
import { auditedActor, auditedRequest, cookieName, credentialOf, wantsHtml } from "../access.ts";
import { signInBodySchema } from "../api.ts";
import { WebError } from "../error.ts";
import { parse } from "../parse.ts";
import type { AppPorts } from "../ports.ts";
import type { RateLimits } from "../rate-limits.ts";

/**
 * After a click on another site's page a redirect would be that site's too, and take no strict cookie along: a page of
 * our own goes on instead.
 */
const ONWARDS =
  '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">' +
  '<title>Overlay Companion</title><p><a href="/">Overlay Companion</a>';

/** Turns a token or a one-time code into the cookie of a session. */
export class SignIn {
  readonly #ports: AppPorts;
  readonly #limits: RateLimits;

  constructor(ports: AppPorts, limits: RateLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** `/?token=`: on to `/` without the token, so that it leaves the address bar. */
  async byAddress(request: FastifyRequest, reply: FastifyReply, secret: string): Promise<void> {
    // A browser that looks ahead must not use up a one-time code that nobody opened.
    const purpose = `${request.headers["sec-purpose"]}${request.headers["purpose"]}`;
    if (request.method === "HEAD" || /prefetch|prerender/.test(purpose)) {
      throw new RefusedError("not_supported", "a sign-in address cannot be fetched ahead");
    }
    if (!isOpenedByPerson(request)) {
      throw new WebError(
        "cross_site",
        "another site's page fetched the sign-in address, expected a person to open it",
      );
    }
    try {
      this.#signIn(request, reply, secret);
    } catch (error) {
      const isRefused = error instanceof WebError || error instanceof RefusedError;
      if (!isRefused || !wantsHtml(request)) throw error;
      await reply.redirect(`/signin?error=${error.code === "unauthenticated" ? "wrong" : "wait"}`, 303);
      return;
    }
    if (isFromOurselves(request)) await reply.redirect("/", 303);
    else await reply.type("text/html; charset=utf-8").send(ONWARDS);
  }

  /** `POST /api/v1/session`: the sign-in form. */
  byForm(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#signIn(request, reply, parse(signInBodySchema, request.body).token);
    return reply.code(204).send();
  }

  /** `DELETE /api/v1/session` */
  out(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const credential = credentialOf(request);
    if (credential.kind === "session") this.#ports.authenticator.endSession(credential.sessionId);
    this.#ports.audit.record({
      type: "auth.logout",
      actor: auditedActor(credential.principal, request),
      request: auditedRequest(request),
    });
    return reply.clearCookie(cookieName(request), this.#cookie(request)).code(204).send();
  }

  /** Throws WebError or RefusedError; the secret is in neither. */
  #signIn(request: FastifyRequest, reply: FastifyReply, secret: string): void {
    const { authenticator, audit } = this.#ports;
    this.#limits.checkSignIn(request.ip);
    const result: AuthResult = authenticator.signIn(secret, request.ip);
    if (result.kind === "locked") {
      throw new WebError("locked_out", "too many wrong tokens came from this address", {
        retryAfterMs: result.waitMs,
      });
    }
    if (result.kind !== "known") {
      this.#limits.countFailedSignIn(request.ip);
      audit.record({
        type: result.kind === "wrong" && result.waitMs > 0 ? "auth.locked" : "auth.failed",
        errorCode: "unauthenticated",
        actor: { id: "", name: "", kind: "unknown", ip: request.ip },
        request: auditedRequest(request),
      });
      throw new WebError("unauthenticated", "the token or code is not valid, was used, or is too old");
    }
    const { principal } = result.credential;
    // A new session each time: whoever planted an old cookie gains nothing.
    const old = request.cookies[cookieName(request)];
    if (old !== undefined) authenticator.endSession(old);
    reply.setCookie(cookieName(request), authenticator.openSession(principal), {
      ...this.#cookie(request),
      maxAge: Math.floor(authenticator.sessionLifetimeMs / 1000),
    });
    audit.record({
      type: "auth.login",
      actor: auditedActor(principal, request),
      request: auditedRequest(request),
    });
  }

  #cookie(request: FastifyRequest) {
    return {
      httpOnly: true,
      sameSite: "strict",
      path: "/",
      secure: request.protocol === "https",
    } as const;
  }
}

/** An image or a frame of another site's page would sign its reader in as somebody else, or lock them out by guesses. */
function isOpenedByPerson(request: FastifyRequest): boolean {
  const { headers } = request;
  if (isFromOurselves(request)) return true;
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

/** No other site's page had a part in it: typed, from a bookmark, from our own page, or from a program. */
function isFromOurselves({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin" || site === "none";
}

/** Signing in and out from the web app. */
export function sessionRoutes(app: FastifyInstance, signIn: SignIn): void {
  const url = "/api/v1/session";
  app.post(url, { config: { access: "open" } }, (request, reply) => signIn.byForm(request, reply));
  app.delete(url, { config: { access: "signed-in" } }, (request, reply) => signIn.out(request, reply));
}
