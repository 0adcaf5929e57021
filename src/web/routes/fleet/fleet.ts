import type { FastifyInstance } from "fastify";
import * as z from "zod";
import type { FleetQuery } from "../../../cluster/fleet/fleet-view.ts";
import { RefusedError } from "../../../desktop/error.ts";
import { drainBodySchema, type FleetInfo, fleetQuerySchema, type OpenInfo } from "../../api/fleet-api.ts";
import { isOpenAt } from "../../http/far/open-asks.ts";
import { parse } from "../../http/parse.ts";
import type { FleetFace, RoutePorts } from "../../http/ports.ts";
import { desktopsOf } from "../desktops.ts";

const paramsSchema = z.object({ id: z.string().min(1).max(100) });

/**
 * `/api/v1/fleet`: which node has which desktop, nodes that hand over all that they have, and what is open at this one, for
 * another that is asked to answer it.
 */
export function fleetRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const { fleet = null } = ports;
  const config = { access: "admin" } as const;
  const approve = { config: { access: "approve" } } as const;
  app.get("/api/v1/fleet/open/:id", approve, (request): OpenInfo => {
    const { id } = parse(paramsSchema, request.params);
    return { is_open: isOpenAt(desktopsOf(ports, request), id) };
  });
  app.get("/api/v1/fleet", { config }, (request, reply): FleetInfo => {
    reply.header("cache-control", "no-store");
    const query = parse(fleetQuerySchema, request.query);
    if (fleet !== null) return infoOf(fleet, query);
    return { node: null, lease_ms: 0, nodes: [], desktops: [], next: null, moves: [] };
  });
  app.post("/api/v1/fleet/nodes/:id/drain", { config }, async (request): Promise<FleetInfo> => {
    const { id } = parse(paramsSchema, request.params);
    const { is_draining } = parse(drainBodySchema, request.body ?? {});
    if (fleet === null) {
      throw new RefusedError(
        "not_supported",
        "this server is alone: cluster.endpoints makes it a node of a fleet",
      );
    }
    await fleet.drain(id, is_draining);
    return infoOf(fleet);
  });
}

function infoOf(fleet: FleetFace, query?: FleetQuery): FleetInfo {
  const [view, { moves }] = [fleet.view(query), fleet];
  return {
    node: view.self,
    lease_ms: Math.round(view.leaseMs),
    nodes: view.nodes.map(({ name, address, calls, offer, desktops, isDrained }) => ({
      ...{ name, address, calls, zones: [...offer.zones], desktops, capacity: offer.links },
      is_draining: isDrained,
    })),
    desktops: [...view.desktops],
    next: view.next,
    moves: moves.list.map(({ desktop, from, to, why, at }) => ({
      ...{ desktop_id: desktop, name: view.nameOf(desktop), from, to, why, at: at.toISOString() },
    })),
  };
}
