import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuditRequests } from "../../audit/audit-event.ts";
import { auditedActor, auditedRequest } from "./access.ts";
import { auditFailedChange } from "./audit-first.ts";
import type { AppPorts } from "./ports.ts";

/** Records changes that failed, and, where that is configured, HTTP requests one by one: as they begin and as they are answered. */
export class RequestAudit {
  readonly #audit: AppPorts["audit"];
  readonly #told: AuditRequests;
  /** The errors that requests are answered with, until they are. */
  readonly #errors = new WeakMap<FastifyRequest, string>();

  constructor(audit: AppPorts["audit"], told: AuditRequests) {
    this.#audit = audit;
    this.#told = told;
  }

  /** Once it is known who asks, or that nobody knows. */
  begun(request: FastifyRequest): void {
    if (this.#isTold(request)) this.#audit.record({ type: "http.request", ...this.#of(request) });
  }

  /** What it is going to be answered with. */
  failed(request: FastifyRequest, errorCode: string): void {
    this.#errors.set(request, errorCode);
  }

  /** `status` is in its counts; a redirect is no failure. */
  answered(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
    const errorCode = this.#errors.get(request) ?? (statusCode < 400 ? null : `http_${statusCode}`);
    if (errorCode !== null) auditFailedChange(this.#audit, request, errorCode, elapsedTime);
    if (!this.#isTold(request)) return;
    this.#audit.record({
      type: "http.response",
      severity: "info",
      ...this.#of(request),
      errorCode,
      durationMs: elapsedTime,
      counts: { status: statusCode },
    });
  }

  #isTold({ method, routeOptions }: FastifyRequest): boolean {
    if (this.#told !== "changes") return this.#told === "all";
    return method !== "GET" && method !== "HEAD" && routeOptions.config.isMcp !== true;
  }

  #of(request: FastifyRequest) {
    const principal = request.credential?.principal;
    const unknown = { id: "", name: "", kind: "unknown", ip: request.ip };
    return {
      actor: principal === undefined ? unknown : auditedActor(principal, request),
      request: auditedRequest(request),
    };
  }
}
