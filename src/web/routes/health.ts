import type { FastifyInstance } from "fastify";
import type { AppPorts } from "../ports.ts";

/** `/health` is open and says nothing but that we answer; the others need a credential. */
export function healthRoutes(app: FastifyInstance, ports: AppPorts): void {
  app.get("/health", { config: { access: "open" } }, () => ({ status: "ok" }));
  app.get("/livez", { config: { access: "signed-in" } }, () => ({ status: "ok" }));
  // A target that is down is told but does not make us unready: restarting us would not bring it back, and viewers
  // would lose the last picture.
  app.get("/readyz", { config: { access: "view" } }, () => ({
    status: "ready",
    desktops: ports.desktops.all.map(({ id, state }) => ({ id, state: state.kind })),
  }));
}
