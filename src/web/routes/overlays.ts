import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import type { Principal } from "../../auth/principal.ts";
import { may } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { loopTurns } from "../../platform/loop-turns.ts";
import type { OverlayInfo } from "../api/api.ts";
import { overlayInfo } from "../api/desktop-json.ts";
import { principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import { desktopOf } from "./desktops.ts";

/** `pressed`: by the button on the overlay, so by a hand on the stage. */
const removeQuerySchema = z.object({ pressed: z.literal("1").optional() });

const paramsSchema = z.object({ overlayId: z.string().max(100) });

/** Overlays are drawn over MCP; here they are listed and taken away. */
export function overlayRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const url = "/api/v1/desktops/:id/overlays";
  const overlay = { config: { access: "overlay", rate: "overlay" } } as const;
  app.get(url, { config: { access: "view" } }, async (request): Promise<OverlayInfo[]> => {
    // Five hundred with twenty thousand points take some milliseconds to be said, and several requests begin in a turn.
    await loopTurns.claim();
    return desktopOf(ports, request).scene.overlays.map(overlayInfo);
  });
  app.delete(`${url}/:overlayId`, overlay, (request, reply) => {
    const desktop = desktopOf(ports, request);
    const { scene } = desktop;
    const { overlayId } = parse(paramsSchema, request.params);
    const { pressed } = parse(removeQuerySchema, request.query);
    const principal = principalOf(request);
    const owner = ownerOf(principal);
    const found = scene.overlays.find(({ id }) => id === overlayId);
    // Somebody else's looks like none: identifiers must not be tested out.
    if (found === undefined || (owner !== null && found.ownerId !== owner)) {
      throw new RefusedError("not_found", "there is no such overlay on this desktop");
    }
    const by = actorOf(principal, request.ip);
    scene.remove(overlayId, by);
    const isHand = pressed !== undefined && principal.role !== "agent" && may(principal, "input");
    if (isHand) desktop.setHolding(true, by, false);
    return reply.code(204).send();
  });
  app.delete(url, overlay, (request) => {
    const principal = principalOf(request);
    const by = actorOf(principal, request.ip);
    const removed = desktopOf(ports, request).scene.clear(ownerOf(principal), by);
    return { removed_count: removed.length };
  });
}

/** Whose overlays a principal may remove: those who may stop a desktop may clear it, others take back their own. */
function ownerOf(principal: Principal): string | null {
  return may(principal, "control") ? null : principal.id;
}
