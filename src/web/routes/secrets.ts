import type { FastifyInstance } from "fastify";
import * as z from "zod";
import type { SecretInfo, SecretStore } from "../../auth/secrets/secret-store.ts";
import { RefusedError } from "../../desktop/error.ts";
import { type SecretDetails, secretBodySchema } from "../api/secrets-api.ts";
import { auditedActor, principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { AppPorts } from "../http/ports.ts";

const paramsSchema = z.object({ id: z.string().min(1).max(100) });

/** The secrets that agents may have typed by name: administrators make, list, replace and remove them, nobody reads one. */
export function secretRoutes(
  app: FastifyInstance,
  secrets: Pick<SecretStore, "list" | "set" | "remove">,
  audit: AppPorts["audit"],
): void {
  const config = { access: "admin" } as const;
  app.get("/api/v1/secrets", { config }, async (_request, reply): Promise<SecretDetails[]> => {
    reply.header("cache-control", "no-store");
    return (await secrets.list()).map(detailsOf);
  });
  app.put("/api/v1/secrets/:id", { config }, async (request, reply): Promise<SecretDetails> => {
    const { id } = parse(paramsSchema, request.params);
    const { value, totp, ...rules } = parse(secretBodySchema, request.body);
    const known = (await secrets.list()).find(({ name }) => name === id);
    const kind = totp !== undefined ? "totp" : value !== undefined ? "secret" : (known?.kind ?? "secret");
    const { info, isNew } = await secrets.set(id, { kind, text: totp ?? value ?? null, rules });
    audit.record({
      type: isNew ? "secret.added" : "secret.changed",
      severity: "notice",
      actor: auditedActor(principalOf(request), request),
      resource: { kind: "secret", id },
    });
    reply.code(isNew ? 201 : 200).header("cache-control", "no-store");
    return detailsOf(info);
  });
  app.delete("/api/v1/secrets/:id", { config }, async (request, reply) => {
    const { id } = parse(paramsSchema, request.params);
    if (!(await secrets.remove(id))) {
      throw new RefusedError("not_found", "there is no such secret: GET /api/v1/secrets lists them");
    }
    audit.record({
      type: "secret.removed",
      severity: "notice",
      actor: auditedActor(principalOf(request), request),
      resource: { kind: "secret", id },
    });
    return reply.code(204).send();
  });
}

function detailsOf({
  name,
  kind,
  rules,
  isConfigured,
  createdAt,
  changedAt,
  lastUsedAt,
}: SecretInfo): SecretDetails {
  const { desktops, agents, seen } = rules;
  return {
    ...{ name, kind, desktops: [...desktops], agents: [...agents] },
    seen: seen === undefined ? null : { text: null, picture: null, region: null, field: null, ...seen },
    ...{ is_configured: isConfigured, created_at: createdAt, changed_at: changedAt },
    last_used_at: lastUsedAt,
  };
}
