import type { FastifyInstance } from "fastify";
import { permissionsOf, personBehind } from "../../auth/principal.ts";
import type { Me } from "../api/api.ts";
import { principalOf } from "../http/access.ts";
import type { RoutePorts } from "../http/ports.ts";

/** Who is signed in and what they may do, so that the web app offers nothing that would be refused. */
export function meRoutes(app: FastifyInstance, ports: RoutePorts): void {
  app.get("/api/v1/me", { config: { access: "signed-in" } }, (request): Me => {
    const principal = principalOf(request);
    return {
      id: principal.id,
      person: personBehind(principal),
      name: principal.name,
      role: principal.role,
      permissions: [...permissionsOf(principal)],
      version: ports.version,
      node: ports.fleet?.name ?? null,
    };
  });
}
