import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AuditType } from "../../audit/audit-event.ts";
import { RefusedError } from "../../desktop/error.ts";
import { type PushInfo, subscriptionBodySchema, subscriptionEndSchema } from "../api/push-api.ts";
import { auditedActor, auditedRequest, principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import { readerLanguage } from "../http/reader-language.ts";

/** Whether and how a browser is told by push that agents ask; for who may answer. */
export function pushRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const approve = { config: { access: "approve" } } as const;
  const push = (): NonNullable<RoutePorts["push"]> => {
    if (ports.push !== undefined) return ports.push;
    throw new RefusedError(
      "not_supported",
      "nobody is told in a browser here, expected push.web.subject in the configuration: ask who runs this appliance",
    );
  };
  const record = (type: AuditType, request: FastifyRequest): void =>
    ports.audit.record({
      ...{ type, actor: auditedActor(principalOf(request), request), request: auditedRequest(request) },
    });
  app.get("/api/v1/push", approve, (): PushInfo => ({ public_key: ports.push?.publicKey ?? null }));
  app.put("/api/v1/push/subscription", approve, async (request, reply) => {
    const { endpoint, keys } = parse(subscriptionBodySchema, request.body);
    const principal = principalOf(request);
    if (principal.guest !== undefined) {
      throw new RefusedError("permission_denied", "a guest is told while they are here, and not elsewhere");
    }
    const { id, desktops } = principal;
    await push().subscribe(endpoint, keys, {
      ...{ id, language: readerLanguage(request) },
      ...(desktops === undefined ? {} : { desktops }),
    });
    record("push.subscribed", request);
    return reply.code(204).send();
  });
  app.delete("/api/v1/push/subscription", approve, async (request, reply) => {
    const { endpoint } = parse(subscriptionEndSchema, request.body);
    await push().unsubscribe(endpoint, principalOf(request));
    record("push.unsubscribed", request);
    return reply.code(204).send();
  });
}
