import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuditEntry } from "../../audit/audit-event.ts";
import type { AuthResult } from "../../auth/authenticator.ts";
import type { Principal } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { type SignedOut, signInBodySchema } from "../api/api.ts";
import { auditedActor, auditedRequest, cookieName, credentialOf, wantsHtml } from "../http/access.ts";
import { cookiePath } from "../http/base-path.ts";
import { WebError } from "../http/error.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import { baseUrl } from "./metadata.ts";

/** Turns a token or a one-time code into the cookie of a session. */
export class SignIn {
  readonly #ports: RoutePorts;
  readonly #limits: RateLimits;

  constructor(ports: RoutePorts, limits: RateLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * `/?token=`: on to `/` without the token, so that it leaves the address bar. Where another site's page may have had
   * a part in it, the sign-in page asks first: nothing is judged or counted, and no session replaced, before a person
   * says there that they mean it.
   */
  async byAddress(request: FastifyRequest, reply: FastifyReply, secret: string): Promise<void> {
    // A browser that looks ahead must not use up a one-time code that nobody opened.
    const purpose = `${request.headers["sec-purpose"]}${request.headers["purpose"]}`;
    if (request.method === "HEAD" || /prefetch|prerender/.test(purpose)) {
      throw new RefusedError("not_supported", "a sign-in address cannot be fetched ahead");
    }
    if (!isOpenedHere(request)) {
      if (!mayBeOpened(request)) {
        throw new WebError(
          "cross_site",
          "the sign-in address was fetched by a page or a program, expected a person to open it in a browser",
        );
      }
      // The fragment is sent to nobody, and the page takes it out of the address bar.
      await reply.redirect(`/signin#${new URLSearchParams({ token: secret })}`, 303);
      return;
    }
    try {
      this.#signIn(request, reply, secret);
    } catch (error) {
      const isRefused = error instanceof WebError || error instanceof RefusedError;
      if (!isRefused || !wantsHtml(request)) throw error;
      await reply.redirect(`/signin?error=${error.code === "unauthenticated" ? "wrong" : "wait"}`, 303);
      return;
    }
    await reply.redirect("/", 303);
  }

  /** `POST /api/v1/session`: the sign-in form. */
  byForm(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#signIn(request, reply, parse(signInBodySchema, request.body).token);
    return reply.code(204).send();
  }

  /** `DELETE /api/v1/session` */
  async out(request: FastifyRequest, reply: FastifyReply): Promise<SignedOut> {
    const credential = credentialOf(request);
    if (credential.kind === "session") this.#ports.authenticator.endSession(credential.sessionId);
    this.#ports.audit.record({
      type: "auth.logout",
      actor: auditedActor(credential.principal, request),
      request: auditedRequest(request),
    });
    reply.clearCookie(cookieName(request), this.#cookie(request));
    await this.#ports.authenticator.sessionsKept();
    const { oidc } = this.#ports;
    if (oidc === undefined || credential.kind !== "session") return { provider_url: null };
    return { provider_url: await oidc.signOutUrl(credential.sessionId, `${baseUrl(request)}/signin`) };
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
    this.welcome(
      request,
      reply,
      { principal, sessionId: authenticator.openSession(principal) },
      authenticator.sessionMs(principal),
    );
  }

  /** Hands out the cookie of a session that was just opened. */
  welcome(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      principal,
      sessionId,
      security,
    }: {
      readonly principal: Principal;
      readonly sessionId: string;
      readonly security?: AuditEntry["security"];
    },
    lifetimeMs: number,
  ): void {
    // A new session each time: whoever planted an old cookie gains nothing.
    const old = request.cookies[cookieName(request)];
    if (old !== undefined) this.#ports.authenticator.endSession(old);
    reply.setCookie(cookieName(request), sessionId, {
      ...this.#cookie(request),
      maxAge: Math.floor(lifetimeMs / 1000),
    });
    this.#ports.audit.record({
      type: "auth.login",
      actor: auditedActor(principal, request),
      request: auditedRequest(request),
      ...(security === undefined ? {} : { security }),
    });
  }

  #cookie(request: FastifyRequest) {
    return {
      httpOnly: true,
      sameSite: "strict",
      path: cookiePath(request),
      secure: request.protocol === "https",
    } as const;
  }
}

/** No other site's page had a part in it: typed, clicked in a terminal, from a bookmark, or from our own page. */
function isOpenedHere({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  return site === "same-origin" || site === "none";
}

/**
 * A page of its own, not an image, a frame or a script of another site's. Browsers send no Sec-Fetch-* to plain HTTP
 * beyond this computer: then who wants HTML may be a person, and anything else is not let near a guess.
 */
function mayBeOpened(request: FastifyRequest): boolean {
  const { headers } = request;
  if (headers["sec-fetch-site"] === undefined) return wantsHtml(request);
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

/** Signing in and out from the web app. */
export function sessionRoutes(app: FastifyInstance, signIn: SignIn): void {
  const url = "/api/v1/session";
  app.post(url, { config: { access: "open", isAuditedFirst: false } }, (request, reply) =>
    signIn.byForm(request, reply),
  );
  app.delete(url, { config: { access: "signed-in", isAuditedFirst: false } }, (request, reply) =>
    signIn.out(request, reply),
  );
}
