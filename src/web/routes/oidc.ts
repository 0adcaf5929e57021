import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AuthError, type AuthErrorCode } from "../../auth/error.ts";
import { SIGN_IN_MS } from "../../auth/oidc/sign-in-tickets.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { SignInWays } from "../api/api.ts";
import { auditedActor, auditedRequest, cookieName, RETRY_MS } from "../http/access.ts";
import { WebError } from "../http/error.ts";
import type { RoutePorts } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import { type ReaderLanguage, readerLanguage } from "../http/reader-language.ts";
import { baseUrl } from "./metadata.ts";
import type { SignIn } from "./session.ts";

const START = "/signin/oidc";
const CALLBACK = `${START}/callback`;
const NOTICE = `${START}/logout`;
const TICKET_SECONDS = SIGN_IN_MS / 1000;
/** A logout token is a small JWT. */
const MOST_NOTICE_BYTES = 32 * 1024;

/** What the sign-in page says of an error; none of them opens a session. */
const PAGE_OF_ERROR = new Map<AuthErrorCode, string>([
  ["no_role", "role"],
  ["sign_in_expired", "expired"],
  ["provider_unreachable", "provider-down"],
  ["provider_refused", "provider"],
]);

export interface OidcParts {
  readonly signIn: SignIn;
  readonly limits: RateLimits;
}

/** Signing in at an OpenID provider. The routes are there where none is configured too, and know nobody then. */
export function oidcRoutes(app: FastifyInstance, ports: RoutePorts, { signIn, limits }: OidcParts): void {
  const config = { access: "open" } as const;
  app.get("/api/v1/session/ways", { config }, (request): SignInWays => {
    const sessionId = request.cookies[cookieName(request)];
    const ended = sessionId === undefined ? null : ports.authenticator.whyOver(sessionId);
    return { provider: ports.oidc?.name ?? null, ended };
  });
  app.get(START, { config }, async (request, reply) => {
    const oidc = providerOf(ports);
    limits.checkSignIn(request.ip);
    limits.take("provider_sign_ins", request.ip);
    try {
      const { url, ticket } = await oidc.begin(`${baseUrl(request)}${CALLBACK}`, nextOf(request.query));
      reply.setCookie(ticketCookie(request), ticket, { ...cookieOptions(request), maxAge: TICKET_SECONDS });
      return await reply.redirect(url, 303);
    } catch (error) {
      return refuse(request, reply, error);
    }
  });
  app.get(CALLBACK, { config }, async (request, reply) => {
    const oidc = providerOf(ports);
    limits.checkSignIn(request.ip);
    const ticket = request.cookies[ticketCookie(request)] ?? "";
    reply.clearCookie(ticketCookie(request), cookieOptions(request));
    try {
      const { principal, sessionId, next } = await oidc.finish(ticket, queryOf(request));
      const security = oidc.signedBy;
      ports.audit.record({
        ...{ type: "auth.jwt_validated", actor: auditedActor(principal, request), security },
        request: auditedRequest(request),
      });
      signIn.welcome(request, reply, { principal, sessionId, security }, oidc.sessionMs);
      return reply
        .type("text/html; charset=utf-8")
        .send(onwardPage(app.basePath + next, readerLanguage(request)));
    } catch (error) {
      if (error instanceof AuthError) limits.countFailedSignIn(request.ip);
      return refuse(request, reply, error);
    }
  });
  app.register((scope, _options, done) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: MOST_NOTICE_BYTES },
      (_request, body, parsed) => parsed(null, new URLSearchParams(String(body))),
    );
    scope.post(NOTICE, { config: { ...config, isAuditedFirst: false } }, async (request, reply) => {
      const oidc = providerOf(ports);
      limits.take("provider_notices", request.ip);
      const token = request.body instanceof URLSearchParams ? request.body.get("logout_token") : null;
      await oidc.noticed(token ?? "").catch((error: unknown) => refuseNotice(request, error));
      return reply.code(200).header("cache-control", "no-store").send();
    });
    done();
  });

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const page = error instanceof AuthError ? PAGE_OF_ERROR.get(error.code) : undefined;
    if (!(error instanceof AuthError) || page === undefined) throw error;
    tellFailed(request, error, "Sign-in at the provider failed");
    return reply.redirect(`/signin?error=${page}`, 303);
  }

  /** OpenID Connect Back-Channel Logout 1.0 section 2.8: 400 for a token that does not count. */
  function refuseNotice(request: FastifyRequest, error: unknown): never {
    if (!(error instanceof AuthError)) throw error;
    tellFailed(request, error, "Notice of a session's end does not count");
    if (error.code === "provider_unreachable") {
      throw new WebError("provider_unreachable", "the sign-in provider cannot be asked for its keys", {
        retryAfterMs: RETRY_MS,
      });
    }
    throw new RefusedError(
      "invalid_parameters",
      "got no logout_token that the configured provider signed for us a moment ago",
    );
  }

  function tellFailed(request: FastifyRequest, error: AuthError, message: string): void {
    request.log.warn({ code: error.code, reason: error.message }, message);
    ports.audit.record({
      type: "auth.failed",
      errorCode: error.code,
      actor: { id: "", name: "", kind: "unknown", ip: request.ip },
      request: auditedRequest(request),
    });
  }
}

function providerOf({ oidc }: RoutePorts): NonNullable<RoutePorts["oidc"]> {
  if (oidc !== undefined) return oidc;
  throw new RefusedError(
    "not_found",
    "no sign-in provider is configured: sign in by a token, or set oidc.issuer",
  );
}

/** A path of ours, "/" for anything else. */
function nextOf(query: unknown): string {
  const next = typeof query === "object" && query !== null && "next" in query ? query.next : "";
  return typeof next === "string" && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(next) ? next : "/";
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.raw.url?.split("?")[1] ?? "");
}

function ticketCookie(request: FastifyRequest): string {
  return `oc_oidc_${request.raw.socket.localPort ?? 0}`;
}

/** Lax: the provider's page sends the browser back, which counts as another site's link. */
function cookieOptions(request: FastifyRequest) {
  return {
    httpOnly: true,
    sameSite: "lax",
    path: request.server.basePath + START,
    secure: request.protocol === "https",
  } as const;
}

/**
 * The cookie of a session goes along with nothing that another site began, redirects included; a page of ours that goes
 * on by itself begins anew.
 */
function onwardPage(next: string, language: ReaderLanguage): string {
  const url = next.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const [said, on] = ONWARD_WORDS[language];
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>${said}</title><p>${said}. <a href="${url}">${on}</a></p></html>`;
}

const ONWARD_WORDS = { en: ["Signed in", "Go on"], de: ["Angemeldet", "Weiter"] } as const satisfies Record<
  ReaderLanguage,
  readonly string[]
>;
