import type { FastifyInstance } from "fastify";
import type { Permission } from "../../auth/principal.ts";
import { may } from "../../auth/principal.ts";
import type { Me } from "../api/api.ts";
import { principalOf } from "../http/access.ts";
import type { AppPorts } from "../http/ports.ts";

const PERMISSIONS: readonly Permission[] = [
  "view",
  "metrics",
  "input",
  "overlay",
  "approve",
  "control",
  "modes",
  "connections",
  "mcp",
  "admin",
];

/** Who is signed in and what they may do, so that the web app offers nothing that would be refused. */
export function meRoutes(app: FastifyInstance, ports: AppPorts): void {
  app.get("/api/v1/me", { config: { access: "signed-in" } }, (request): Me => {
    const principal = principalOf(request);
    return {
      id: principal.id,
      name: principal.name,
      role: principal.role,
      permissions: PERMISSIONS.filter((permission) => may(principal, permission)),
      version: ports.version,
    };
  });
}
