import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Mask } from "../../desktop/masks/mask.ts";
import { maskOf, wireText } from "../../desktop/masks/mask-on-wire.ts";
import type { MaskInfo } from "../api/api.ts";
import { maskBodySchema } from "../api/api.ts";
import { principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import { desktopOf } from "./desktops.ts";

const paramsSchema = z.object({ maskId: z.string().max(100) });

/** `/api/v1/desktops/:id/masks`: everybody may read where something is hidden, agents without the words for people. */
export function maskRoutes(app: FastifyInstance, ports: Pick<RoutePorts, "desktopsOf">): void {
  const url = "/api/v1/desktops/:id/masks";
  const change = { config: { access: "masks" } } as const;
  app.get(url, { config: { access: "view" } }, (request): MaskInfo[] => {
    const isAgent = principalOf(request).role === "agent";
    const infos = (desktopOf(ports, request).masks?.all ?? []).map(maskInfo);
    return isAgent ? infos.map((info) => ({ ...info, label: null, text: null, element: null })) : infos;
  });
  app.post(url, change, async (request, reply): Promise<MaskInfo> => {
    const desktop = desktopOf(ports, request);
    const { follows, ...said } = parse(maskBodySchema, request.body);
    if (desktop.masks === undefined) throw new RefusedError("not_supported", "nothing can be hidden here");
    const actor = actorOf(principalOf(request), request.ip);
    const mask = await desktop.masks.hide(maskOf(said), follows ?? null, actor);
    reply.code(201);
    return maskInfo(mask);
  });
  app.delete(`${url}/:maskId`, change, async (request, reply) => {
    const desktop = desktopOf(ports, request);
    const { maskId } = parse(paramsSchema, request.params);
    await desktop.masks?.show(maskId, actorOf(principalOf(request), request.ip));
    return reply.code(204).send();
  });
}

function maskInfo(mask: Mask): MaskInfo {
  const { id, label, audiences, state, places, text, element = null } = mask;
  return {
    ...{ id, label, state, audiences: [...audiences] },
    text: text === undefined ? null : wireText(text),
    element,
    is_configured: mask.isConfigured,
    places: places.map((place) => ({ ...place })),
    created_at: mask.createdAt,
  };
}
