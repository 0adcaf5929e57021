import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { may } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { principalOf } from "../access.ts";
import type { ConfigInfo } from "../api.ts";
import { configInfo, stdioInfo } from "../client-snippets.ts";
import { parse } from "../parse.ts";
import type { AppPorts } from "../ports.ts";
import type { RateLimits } from "../rate-limits.ts";
import { baseUrl } from "./metadata.ts";

const querySchema = z.object({ client: z.string().max(100).optional() });

/** What to paste into an MCP client. Only admins see the agent token in it; others get a blank to fill. */
export function configRoutes(app: FastifyInstance, ports: AppPorts, limits: RateLimits): void {
  const config = { access: "signed-in" } as const;
  app.get("/config", { config }, (request): ConfigInfo => {
    limits.take("configuration", request.ip);
    const { client } = parse(querySchema, request.query);
    const token = may(principalOf(request), "admin") ? ports.agentToken : null;
    const info = configInfo(`${baseUrl(request)}/mcp`, token);
    if (client === undefined) return info;
    const clients = info.clients.filter(({ id }) => id === client);
    if (clients.length > 0) return { ...info, clients };
    throw new RefusedError(
      "not_found",
      `no such client: expected one of ${info.clients.map(({ id }) => id).join(", ")}`,
    );
  });
  app.get("/config/stdio", { config }, (request) => {
    limits.take("configuration", request.ip);
    return stdioInfo(ports.stdio);
  });
}
