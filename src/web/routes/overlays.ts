import type { FastifyInstance } from "fastify";
import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import { may } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { principalOf } from "../access.ts";
import type { OverlayInfo } from "../api.ts";
import { overlayInfo } from "../desktop-facts.ts";
import { parse } from "../parse.ts";
import type { AppPorts } from "../ports.ts";
import { desktopOf } from "./desktops.ts";

const paramsSchema = z.object({ overlayId: z.string().max(100) });

/** Overlays are drawn over MCP; here they are listed and taken away. */
export function overlayRoutes(app: FastifyInstance, ports: AppPorts): void {
  const url = "/api/v1/desktops/:id/overlays";
  const overlay = { config: { access: "overlay" } } as const;
  app.get(url, { config: { access: "view" } }, (request): OverlayInfo[] =>
    desktopOf(ports, request).scene.overlays.map(overlayInfo),
  );
  app.delete(`${url}/:overlayId`, overlay, (request, reply) => {
    const { scene } = desktopOf(ports, request);
    const { overlayId } = parse(paramsSchema, request.params);
    const owner = ownerOf(principalOf(request));
    const found = scene.overlays.find(({ id }) => id === overlayId);
    // Somebody else's looks like none: identifiers must not be tested out.
    if (found === undefined || (owner !== null && found.ownerId !== owner)) {
      throw new RefusedError("not_found", "there is no such overlay on this desktop");
    }
    scene.remove(overlayId);
    return reply.code(204).send();
  });
  app.delete(url, overlay, (request) => {
    const removed = desktopOf(ports, request).scene.clear(ownerOf(principalOf(request)));
    return { removed_count: removed.length };
  });
}

/** Whose overlays a principal may remove: those who may stop a desktop may clear it, others take back their own. */
function ownerOf(principal: Principal): string | null {
  return may(principal, "control") ? null : principal.id;
}
