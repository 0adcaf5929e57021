import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { personBehind } from "../../auth/principal.ts";
import type { TokenInfo, TokenStore } from "../../auth/tokens.ts";
import { RefusedError } from "../../desktop/error.ts";
import { type NewToken, type TokenDetails, tokenBodySchema } from "../api/tokens-api.ts";
import { principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";

const paramsSchema = z.object({ id: z.string().min(1).max(100) });

/** The tokens of the data directory: made, listed and taken back by administrators. `OC_TOKEN` is none of them. */
export function tokenRoutes(
  app: FastifyInstance,
  tokens: Pick<TokenStore, "list" | "create" | "revoke">,
  { clock }: Pick<RoutePorts, "clock">,
): void {
  const config = { access: "admin" } as const;
  app.get("/api/v1/tokens", { config }, (_request, reply): TokenDetails[] => {
    reply.header("cache-control", "no-store");
    return tokens.list().map(detailsOf);
  });
  app.post("/api/v1/tokens", { config }, async (request, reply): Promise<NewToken> => {
    const { name, role, desktops, toolsets, owner, expires_at } = parse(tokenBodySchema, request.body);
    const expiresAt = expires_at === null ? null : new Date(expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= clock.date().getTime()) {
      throw new RefusedError(
        "invalid_parameters",
        "expires_at: got a moment that has passed, expected one to come",
      );
    }
    if (role === "admin" && desktops !== null) {
      throw new RefusedError(
        "invalid_parameters",
        "desktops: got some for an administrator, who reaches all, expected null or another role",
      );
    }
    const { token, info } = await tokens.create(name, role, {
      expiresAt,
      desktops,
      toolsets,
      // Who makes a token sees it, and is whose it is unless they say otherwise.
      owner: owner ?? personBehind(principalOf(request)),
    });
    reply.code(201).header("cache-control", "no-store");
    return { ...detailsOf(info), token };
  });
  app.delete("/api/v1/tokens/:id", { config }, async (request, reply) => {
    const { id } = parse(paramsSchema, request.params);
    if (!(await tokens.revoke(id))) {
      throw new RefusedError("not_found", "there is no such token: GET /api/v1/tokens lists them");
    }
    return reply.code(204).send();
  });
}

function detailsOf({
  desktops,
  toolsets,
  createdAt,
  expiresAt,
  lastUsedAt,
  ...token
}: TokenInfo): TokenDetails {
  const { id, name, role, owner, mayElicit } = token;
  return {
    ...{ id, name, role, owner, created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt },
    desktops: desktops === null ? null : [...desktops],
    toolsets: toolsets === null ? null : [...toolsets],
    may_elicit: mayElicit,
  };
}
