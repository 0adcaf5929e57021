import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";
import { may } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { ConfigInfo } from "../api/api.ts";
import { configInfo, SNIPPET_CLIENTS, stdioInfo } from "../api/client-snippets.ts";
import { auditedActor, auditedRequest, principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import { baseUrl } from "./metadata.ts";

const querySchema = z.object({ client: z.string().max(100).optional() });

/** A token is handed out only where it can be told that it was. Throws RefusedError audit_down. */
async function tellShown({ audit }: RoutePorts, request: FastifyRequest): Promise<void> {
  audit.record({
    type: "token.shown",
    severity: "notice",
    actor: auditedActor(principalOf(request), request),
    request: auditedRequest(request),
  });
  await audit.secured();
}

/**
 * What to paste into an MCP client. Each client has a token of its own, so that what one was allowed, saw and recorded
 * is not another's. Only admins see the tokens; others get a blank to fill.
 */
export function configRoutes(app: FastifyInstance, ports: RoutePorts, limits: RateLimits): void {
  const config = { access: "signed-in" } as const;
  app.get("/config", { config }, async (request): Promise<ConfigInfo> => {
    limits.take("configuration", request.ip);
    const { client } = parse(querySchema, request.query);
    const wanted = SNIPPET_CLIENTS.filter(({ id }) => client === undefined || id === client);
    if (wanted.length === 0) {
      throw new RefusedError(
        "not_found",
        `no such client: expected one of ${SNIPPET_CLIENTS.map(({ id }) => id).join(", ")}`,
      );
    }
    const isShown = may(principalOf(request), "admin");
    if (isShown) await tellShown(ports, request);
    const tokens = new Map<string, string>();
    if (isShown) for (const { id, name } of wanted) tokens.set(id, await ports.agentToken({ id, name }));
    const info = configInfo(`${baseUrl(request)}/mcp`, tokens);
    return { ...info, clients: info.clients.filter(({ id }) => wanted.some((known) => known.id === id)) };
  });
  app.get("/config/stdio", { config }, (request) => {
    limits.take("configuration", request.ip);
    return stdioInfo(ports.stdio);
  });
}
