import type { FastifyInstance } from "fastify";
import type { AppPorts } from "../http/ports.ts";

/**
 * `/health` is open and says nothing but that we answer, and whether the audit log can be written: while it cannot,
 * nothing that changes anything is done. The others need a credential.
 */
export function healthRoutes(app: FastifyInstance, ports: AppPorts): void {
  // 200 all the same: a restart would free no disk, and people could not stop an agent meanwhile.
  app.get("/health", { config: { access: "open" } }, () =>
    ports.audit.isWorking ? { status: "ok" } : { status: "degraded", reason: "audit_down" },
  );
  app.get("/livez", { config: { access: "signed-in" } }, () => ({ status: "ok" }));
  // A target that is down is told but does not make us unready: restarting us would not bring it back, and viewers
  // would lose the last picture.
  app.get("/readyz", { config: { access: "view" } }, () => ({
    status: "ready",
    desktops: ports.desktops.all.map(({ id, state }) => ({ id, state: state.kind })),
  }));
}
