import type { FastifyInstance } from "fastify";
import { reaches } from "../../auth/granted-desktops.ts";
import type { Principal } from "../../auth/principal.ts";
import { type AccessGuard, principalOf } from "../http/access.ts";
import type { RoutePorts } from "../http/ports.ts";

/**
 * `/health` is open and says nothing but that we answer, and whether the audit log can be written: while it cannot,
 * nothing that changes anything is done. Who is signed in is also told of browsers and sessions. The others need a
 * credential.
 */
export function healthRoutes(
  app: FastifyInstance,
  ports: RoutePorts,
  gate: Pick<AccessGuard, "identify">,
): void {
  // 200 all the same: a restart would free no disk, and people could not stop an agent meanwhile.
  app.get("/health", { config: { access: "open" } }, async (request) => ({
    ...(ports.audit.isWorking ? { status: "ok" } : { status: "degraded", reason: "audit_down" }),
    ...((await gate.identify(request)) ? toldOf(ports, principalOf(request)) : {}),
  }));
  app.get("/livez", { config: { access: "signed-in" } }, () => ({ status: "ok" }));
  const { monitoring } = ports;
  if (monitoring === undefined) return;
  // A target that is down does not make us unready: viewers would lose the last picture, and other desktops.
  app.get("/readyz", { config: { access: "view" } }, async (request, reply) => {
    const principal = principalOf(request);
    const readiness = await monitoring.readiness((id) => reaches(principal, id));
    reply.code(readiness.status === "unready" ? 503 : 200).header("cache-control", "no-store");
    return readiness;
  });
  // Never open, not to loopback either: a proxy on this machine makes everybody come from there.
  app.get("/metrics", { config: { access: "metrics" } }, async (_request, reply) => {
    const { type, text } = await monitoring.metrics();
    return reply.type(type).header("cache-control", "no-store").send(text);
  });
}

/** Of the caller's own; an administrator's are all. */
function toldOf({ browsers, mcp }: Pick<RoutePorts, "browsers" | "mcp">, principal: Principal) {
  const isAdmin = principal.role === "admin";
  const extensionConnected = isAdmin
    ? browsers?.browsers.all.some(({ isConnected }) => isConnected)
    : browsers?.browsers.of(principal).some(({ peer }) => peer !== null);
  return {
    extensionConnected: extensionConnected ?? false,
    sessions: mcp.sessionsOf(isAdmin ? null : principal.id),
  };
}
