import type { FastifyRequest } from "fastify";
import type { AuditEntry } from "../../audit/audit-event.ts";
import { auditedActor, auditedRequest, permissionOf, principalOf, rolesWith } from "./access.ts";
import type { AppPorts } from "./ports.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Whether a call is in the audit log before it is done, and refused where it cannot be; default: whatever is no
     * GET. False where it changes nothing that outlasts it, or only takes freedom from agents: people may always stop.
     */
    isAuditedFirst?: boolean;
  }
}

const KINDS = [
  [/^\/api\/v1\/desktops\//, "desktop"],
  [/^\/api\/v1\/recordings\//, "recording"],
  [/^\/api\/v1\/approvals\//, "approval"],
  [/^\/api\/v1\/requests\//, "request"],
  [/^\/api\/v1\/tokens\//, "token"],
  [/^\/api\/v1\/secrets\//, "secret"],
  [/^\/api\/v1\/fleet\//, "node"],
] as const;

/** Whether a route's calls have to be in the audit log before they are done. */
export function needsAuditFirst(request: FastifyRequest): boolean {
  const { config } = request.routeOptions;
  if (config.isMcp === true || request.credential === null) return false;
  return config.isAuditedFirst ?? !(request.method === "GET" || request.method === "HEAD");
}

/**
 * Writes into the audit log what is about to be done, and resolves when that is written. Throws RefusedError
 * audit_down.
 */
export async function auditFirst(audit: AppPorts["audit"], request: FastifyRequest): Promise<void> {
  const resource = resourceOf(request);
  const { access } = request.routeOptions.config;
  const permission = access === undefined ? null : permissionOf(access);
  await auditChange(audit, request, {
    actor: auditedActor(principalOf(request), request),
    ...(permission === null ? {} : { security: { rolesChecked: rolesWith(permission) } }),
    ...(resource === null ? {} : { resource }),
  });
}

/** What was told of requests whose change may still fail. */
const TOLD = new WeakMap<FastifyRequest, Pick<AuditEntry, "actor" | "resource" | "request">>();

/** The same for who is no principal. Throws RefusedError audit_down. */
export async function auditChange(
  audit: AppPorts["audit"],
  request: FastifyRequest,
  entry: Pick<AuditEntry, "actor" | "resource" | "security">,
): Promise<void> {
  const told = { ...entry, request: auditedRequest(request) };
  audit.record({ type: "change.requested", ...told });
  await audit.secured();
  TOLD.set(request, told);
}

/** Tells that what `change.requested` told of was not done, and why; nothing for other requests. */
export function auditFailedChange(
  audit: AppPorts["audit"],
  request: FastifyRequest,
  errorCode: string,
  durationMs: number,
): void {
  const told = TOLD.get(request);
  if (told !== undefined) audit.record({ type: "change.failed", ...told, errorCode, durationMs });
}

function resourceOf({ params, routeOptions }: FastifyRequest) {
  const id =
    typeof params === "object" && params !== null
      ? "approvalId" in params
        ? params.approvalId
        : "id" in params
          ? params.id
          : null
      : null;
  const kind = KINDS.find(([prefix]) => prefix.test(routeOptions.url ?? ""))?.[1];
  return typeof id === "string" && kind !== undefined ? { kind, id } : null;
}
