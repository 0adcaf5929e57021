import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuditType } from "../../audit/audit-event.ts";
import { RepeatLimit } from "../../audit/repeat-limit.ts";
import type { Credential } from "../../auth/authenticator.ts";
import { principalCarried } from "../../auth/carried-principal.ts";
import { may, type Permission, type Principal, ROLES, type Role } from "../../auth/principal.ts";
import type { RateClass } from "../../desktop/control/agent-rates.ts";
import { RefusedError } from "../../desktop/error.ts";
import { traceContext } from "../../platform/trace-context.ts";
import { Cors } from "./cors.ts";
import { WebError } from "./error.ts";
import type { AppPorts } from "./ports.ts";

/**
 * Who may use a route: `open` everybody, `entry` decides by itself, `page` whoever is signed in (others are sent to the
 * sign-in page), `signed-in` any credential, or a permission of the role.
 */
export type Access = "open" | "entry" | "page" | "signed-in" | Permission;

/** What a role has to have for it; null where who is signed in, or everybody, may. */
export function permissionOf(access: Access): Permission | null {
  return access === "open" || access === "entry" || access === "page" || access === "signed-in"
    ? null
    : access;
}

/** A provider that is away is asked again by then. */
export const RETRY_MS = 10_000;

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** What a call of an agent is counted as, default "default"; "own": the route counts. Only under /api. */
    rate?: RateClass | "own";
    /** Answers upgrades; every other route refuses them. */
    isSocket?: boolean;
    /** The one Origin that it takes, which no other route does; absent: those of our own pages. */
    onlyOrigin?: string;
    /** A page of ours: people who are not signed in are sent to the sign-in page; default: where access is "page". */
    isPage?: boolean;
    /** Speaks JSON-RPC, errors included. */
    isMcp?: boolean;
  }
  interface FastifyRequest {
    credential: Credential | null;
  }
}

/** Several appliances on one computer share the cookies of localhost, whatever their ports: the name keeps them apart. */
export function cookieName(request: FastifyRequest): string {
  const name = `oc_session_${request.raw.socket.localPort ?? 0}`;
  if (request.protocol !== "https") return name;
  // Browsers take a __Host- cookie for the whole host alone.
  return `${request.server.basePath === "" ? "__Host-" : "__Secure-"}${name}`;
}

/** Who calls. Throws a bug where a route without sign-in asks. */
export function credentialOf(request: FastifyRequest): Credential {
  if (request.credential === null) throw new Error("this route knows no principal");
  return request.credential;
}

export function principalOf(request: FastifyRequest): Principal {
  return credentialOf(request).principal;
}

type GuardPorts = Pick<AppPorts, "authenticator" | "audit" | "accessTokens" | "fleet">;

/** Finds out who calls and whether they may; answers by a redirect or throws otherwise. */
export class AccessGuard {
  readonly #ports: GuardPorts & Pick<AppPorts, "clock">;
  readonly #cors: Cors;
  /** Of access tokens: clients send theirs with each call. */
  readonly #validated: RepeatLimit;

  constructor(ports: GuardPorts & Pick<AppPorts, "corsOrigins" | "clock">) {
    this.#ports = ports;
    this.#validated = new RepeatLimit(ports.clock);
    this.#cors = new Cors(ports.corsOrigins);
  }

  /** Throws WebError or RefusedError; sends people without a session to the sign-in page, and from there back. */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { access, isPage = access === "page" } = request.routeOptions.config;
    if (access === undefined || access === "open" || access === "entry") return;
    if (!(await this.identify(request)) && isPage && wantsHtml(request)) {
      await reply.redirect(`/signin?${new URLSearchParams({ next: request.url })}`, 303);
      return;
    }
    this.requireCredential(request, reply);
    if (access !== "page" && access !== "signed-in") this.requirePermission(request, access);
  }

  /** Sets the request's credential; false where none was presented. Throws for a wrong one. */
  async identify(
    request: FastifyRequest,
    isMcp = request.routeOptions.config.isMcp === true,
  ): Promise<boolean> {
    const { authenticator } = this.#ports;
    if (this.isCarried(request)) return true;
    const presented = {
      authorization: request.headers.authorization,
      sessionId: request.cookies[cookieName(request)],
      address: request.ip,
    };
    const result = isMcp
      ? await authenticator.authenticateMcp(presented)
      : authenticator.authenticate(presented);
    switch (result.kind) {
      case "known":
        request.credential = result.credential;
        if (result.credential.kind === "access_token") this.#tellValidated(request, result.credential);
        this.#checkSite(request);
        return true;
      case "anonymous":
        return false;
      case "wrong":
        this.#tell(request, result.waitMs > 0 ? "auth.locked" : "auth.failed", "unauthenticated");
        if (result.reason !== undefined) request.log.info({ reason: result.reason }, "Access token refused");
        throw new WebError("unauthenticated", "the token in the Authorization header is not valid");
      case "locked":
        throw new WebError("locked_out", "too many wrong tokens came from this address", {
          retryAfterMs: result.waitMs,
        });
      case "insufficient_scope":
        this.#tell(request, "authz.denied", result.kind);
        throw new WebError("insufficient_scope", "the access token lacks a scope that MCP needs");
      case "no_role":
        this.#tell(request, "authz.denied", result.kind);
        throw new RefusedError(
          "permission_denied",
          "the access token's claims give no role that may use MCP, expected agent, operator or admin",
        );
      case "unreachable":
        request.log.warn({ reason: result.reason }, "Access token could not be judged");
        throw new WebError("provider_unreachable", "the sign-in provider cannot be asked for its keys", {
          retryAfterMs: RETRY_MS,
        });
    }
  }

  /**
   * Whether another node of the fleet sent it, which found out who calls: its word is taken, for the connection proved which node it is.
   * Throws WebError.
   */
  isCarried(request: FastifyRequest): boolean {
    if (request.credential !== null) return request.credential.kind === "carried";
    const { fleet, clock } = this.#ports;
    const call = fleet?.calls?.of(request.raw) ?? null;
    if (call === null) return false;
    const principal = principalCarried(call.caller, call.node, clock);
    if (principal === null) {
      throw new WebError(
        "invalid_request",
        "the node that carries the request names no principal of this version",
      );
    }
    request.credential = { kind: "carried", principal };
    // Where it comes from, and not by which node.
    Object.defineProperty(request, "ip", { value: principal.ip ?? "" });
    return true;
  }

  /** A token that the provider signed was believed: the first time, and then once a minute. */
  #tellValidated(request: FastifyRequest, credential: Credential & { readonly kind: "access_token" }): void {
    const { principal, issuedAtS } = credential;
    const { issuer, resource } = this.#ports.accessTokens ?? {};
    const missed = this.#validated.meet(`${principal.id}\n${issuedAtS}\n${request.ip}`);
    if (missed === null) return;
    this.#ports.audit.record({
      type: "auth.jwt_validated",
      actor: auditedActor(principal, request),
      request: auditedRequest(request),
      security: {
        ...(issuer === undefined ? {} : { issuer }),
        ...(resource === undefined ? {} : { audience: resource }),
      },
      counts: { since_last: missed },
    });
  }

  /** Of somebody who is not known. */
  #tell(request: FastifyRequest, type: AuditType, errorCode: string): void {
    this.#ports.audit.record({
      type,
      errorCode,
      actor: { id: "", name: "", kind: "unknown", ip: request.ip },
      request: auditedRequest(request),
    });
  }

  /** Throws WebError unauthenticated. */
  requireCredential(request: FastifyRequest, reply: FastifyReply): void {
    if (request.credential !== null || reply.sent) return;
    throw new WebError("unauthenticated", "the request carries no credential");
  }

  /** A cookie goes along by itself, so it counts only for what our own pages ask. */
  #checkSite(request: FastifyRequest): void {
    if (request.credential?.kind !== "session") return;
    const site = request.headers["sec-fetch-site"];
    // Pages elsewhere that may call do so with a token, whatever an older browser leaves unsaid.
    if (site === undefined && !this.#cors.allows(request.headers.origin)) return;
    if (site === "same-origin" || site === "none") return;
    const isLink =
      request.method === "GET" && request.headers["sec-fetch-mode"] === "navigate" && !request.ws;
    if (!isLink)
      throw new WebError("cross_site", "another site sent this request with the cookie of a session");
  }

  /** Throws RefusedError permission_denied. */
  requirePermission(request: FastifyRequest, permission: Permission): void {
    const principal = principalOf(request);
    if (may(principal, permission)) return;
    this.#ports.audit.record({
      type: "authz.denied",
      errorCode: "permission_denied",
      actor: auditedActor(principal, request),
      action: permission,
      request: auditedRequest(request),
      security: { rolesChecked: rolesWith(permission) },
    });
    throw new RefusedError(
      "permission_denied",
      `the role ${principal.role} lacks the permission ${permission}`,
    );
  }
}

/** The roles that have a permission, credentials for certain desktops and guests apart. */
export function rolesWith(permission: Permission): readonly Role[] {
  return ROLES.filter((role) => may({ id: "", name: "", role }, permission));
}

/** A browser that wants a page, not a program that takes anything. */
export function wantsHtml(request: FastifyRequest): boolean {
  return (request.headers.accept ?? "").includes("text/html");
}

/** The route's pattern stands for the path: addresses may hold tokens and identifiers. */
export function auditedRequest(request: FastifyRequest) {
  const { method, routeOptions, id, headers } = request;
  const trace = traceContext(headers["traceparent"]);
  return { method, path: routeOptions.url ?? "(unknown)", id, trace };
}

export function auditedActor(principal: Principal, request: FastifyRequest) {
  return {
    id: principal.id,
    name: principal.name,
    kind: principal.role === "agent" ? "agent" : "human",
    role: principal.role,
    ip: request.ip,
    ...(principal.via === undefined ? {} : { via: principal.via }),
  };
}
