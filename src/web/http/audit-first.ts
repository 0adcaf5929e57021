import type { FastifyRequest } from "fastify";
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
  audit.record({
    type: "change.requested",
    actor: auditedActor(principalOf(request), request),
    request: auditedRequest(request),
    ...(permission === null ? {} : { security: { rolesChecked: rolesWith(permission) } }),
    ...(resource === null ? {} : { resource }),
  });
  await audit.secured();
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
