import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import * as z from "zod";
import type { Permission } from "../../auth/principal.ts";
import { may } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { credentialOf, principalOf } from "../access.ts";
import { viewerQuerySchema } from "../api.ts";
import { WebError } from "../error.ts";
import type { EventHub } from "../event-hub.ts";
import { JsonSocket } from "../json-socket.ts";
import { followOverlays } from "../overlay-feed.ts";
import { parse } from "../parse.ts";
import type { AppPorts, RfbOptions, WebDesktop } from "../ports.ts";
import type { SocketKeeper } from "../socket-keeper.ts";
import { desktopOf } from "./desktops.ts";

const overlayQuerySchema = z.object({ desktop: z.string().max(100).optional() });

export interface SocketParts {
  readonly hub: EventHub;
  readonly keeper: SocketKeeper;
}

/** What a route does with its socket, made before the upgrade so that every refusal is an HTTP answer. */
type Serve = (socket: WebSocket) => void;

/** The WebSockets: overlays, events, and RFB for viewers. */
export function socketRoutes(app: FastifyInstance, ports: AppPorts, parts: SocketParts): void {
  const route = (url: string, access: Permission, prepare: (request: FastifyRequest) => Serve): void => {
    const prepared = new WeakMap<FastifyRequest, Serve>();
    app.route({
      method: "GET",
      url,
      exposeHeadRoute: false,
      config: { access, isSocket: true },
      preHandler: async (request) => {
        if (!request.ws) throw new WebError("upgrade_required", "this address answers only WebSockets");
        parts.keeper.checkRoom(principalOf(request).id);
        prepared.set(request, prepare(request));
      },
      handler: () => {
        throw new WebError("upgrade_required", "this address answers only WebSockets");
      },
      wsHandler: (socket, request) => {
        parts.keeper.add(socket, credentialOf(request));
        prepared.get(request)?.(socket);
      },
    });
  };

  route("/ws/events", "view", (request) => {
    const mayApprove = may(principalOf(request), "approve");
    return (socket) => {
      const json = new JsonSocket(socket);
      json.onMessage(
        () => ports.clock.nowMs(),
        () => false,
      );
      socket.on("close", parts.hub.attach({ mayApprove, send: (text) => json.send(text) }));
    };
  });
  route("/ws/overlays", "view", (request) => {
    const { desktop: id } = parse(overlayQuerySchema, request.query);
    const desktop = id === undefined ? activeDesktop(ports, request) : ports.desktops.get(id);
    return (socket) => followOverlays(socket, desktop, ports);
  });
  const viewer = (request: FastifyRequest, desktop: WebDesktop): Serve => {
    const options = rfbOptions(request);
    const principal = principalOf(request);
    return (socket) => ports.rfb.attach(socket, desktop.id, options, principal, request.raw.socket);
  };
  route("/ws/desktops/:id", "view", (request) => viewer(request, desktopOf(ports, request)));
  route("/websockify", "view", (request) => viewer(request, activeDesktop(ports, request)));
}

function activeDesktop(ports: AppPorts, request: FastifyRequest): WebDesktop {
  return ports.desktops.active(principalOf(request).id);
}

/** Throws RefusedError invalid_parameters. Agents and viewers look on, whatever they ask for. */
function rfbOptions(request: FastifyRequest): RfbOptions {
  const { vx, vy, vw, vh, composite, view_only } = parse(viewerQuerySchema, request.query);
  const hasAny = vx !== undefined || vy !== undefined || vw !== undefined || vh !== undefined;
  const viewport =
    vx !== undefined && vy !== undefined && vw !== undefined && vh !== undefined
      ? { x: vx, y: vy, width: vw, height: vh }
      : null;
  if (hasAny && viewport === null) {
    throw new RefusedError(
      "invalid_parameters",
      "vx, vy, vw and vh come together: expected all four or none",
    );
  }
  return {
    viewport,
    composite: composite !== "0",
    viewOnly: view_only === "1" || !may(principalOf(request), "input"),
  };
}
