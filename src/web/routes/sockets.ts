import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import * as z from "zod";
import { reaches } from "../../auth/granted-desktops.ts";
import type { Permission } from "../../auth/principal.ts";
import { may } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { viewerQuerySchema } from "../api/api.ts";
import type { EventHub } from "../api/event-hub.ts";
import { followOverlays } from "../api/overlay-feed.ts";
import { auditedActor, auditedRequest, credentialOf, principalOf } from "../http/access.ts";
import { WebError } from "../http/error.ts";
import { JsonSocket } from "../http/json-socket.ts";
import type { OpenSockets } from "../http/open-sockets.ts";
import { parse } from "../http/parse.ts";
import type { RfbOptions, RoutePorts, WebDesktop } from "../http/ports.ts";
import { followSound } from "../viewer/sound-feed.ts";
import { desktopOf, desktopsOf } from "./desktops.ts";

const paramsSchema = z.object({ id: z.string() });
const overlayQuerySchema = z.object({ desktop: z.string().max(100).optional() });

export interface SocketParts {
  readonly hub: EventHub;
  readonly keeper: OpenSockets;
}

/** What a route does with its socket, made before the upgrade so that every refusal is an HTTP answer. */
type Serve = (socket: WebSocket) => void;

/** The WebSockets: overlays, events, sound, and RFB for viewers. */
export function socketRoutes(app: FastifyInstance, ports: RoutePorts, parts: SocketParts): void {
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

  /** Those that see the desktop itself tell so themselves, once they are let in. */
  const tellJoined = (request: FastifyRequest, socket: WebSocket, action: string, desktop?: WebDesktop) => {
    const told = {
      actor: auditedActor(principalOf(request), request),
      action,
      request: auditedRequest(request),
      ...(desktop === undefined ? {} : { resource: { kind: "desktop", id: desktop.id } }),
    };
    const startMs = ports.clock.nowMs();
    ports.audit.record({ type: "viewer.joined", ...told });
    socket.once("close", () =>
      ports.audit.record({ type: "viewer.left", ...told, durationMs: ports.clock.nowMs() - startMs }),
    );
  };

  route("/ws/events", "view", (request) => {
    const principal = principalOf(request);
    const reader = {
      id: principal.id,
      mayApprove: may(principal, "approve"),
      reaches: (desktopId: string) => reaches(principal, desktopId),
      seesHouse: principal.desktops === undefined,
    };
    return (socket) => {
      tellJoined(request, socket, "events");
      const json = new JsonSocket(socket);
      json.onMessage(
        () => ports.clock.nowMs(),
        () => false,
      );
      const far = ports.far.events(request, (text) => json.send(text));
      const send = (text: string): void => (far === null ? json.send(text) : far.own(text));
      socket.on("close", parts.hub.attach({ ...reader, send }));
      socket.on("close", () => far?.close());
    };
  });
  route("/ws/overlays", "view", (request) => {
    const { desktop: id } = parse(overlayQuerySchema, request.query);
    const desktops = desktopsOf(ports, request);
    const desktop = id === undefined ? activeDesktop(ports, request) : desktops.get(id);
    return (socket) => {
      tellJoined(request, socket, "overlays", desktop);
      followOverlays(socket, desktop, { desktops, clock: ports.clock });
    };
  });
  const viewer = (request: FastifyRequest, desktop: WebDesktop): Serve => {
    const options = rfbOptions(request);
    const principal = { ...principalOf(request), ip: request.ip };
    return (socket) => ports.rfb.attach(socket, desktop.id, options, principal, request.raw.socket);
  };
  route("/ws/desktops/:id", "view", (request) => {
    const { id } = parse(paramsSchema, request.params);
    const owner = ports.far.ownerOf(request, id);
    if (owner === null) return viewer(request, desktopOf(ports, request));
    const options = rfbOptions(request);
    const principal = { ...principalOf(request), ip: request.ip };
    return (socket) =>
      ports.rfb.attachFar({ socket, stream: request.raw.socket, principal, options }, owner, id);
  });
  route("/ws/desktops/:id/sound", "view", (request) => {
    // Masks hide what is seen: what is heard has none, so no agent hears it.
    if (principalOf(request).role === "agent") {
      throw new RefusedError(
        "permission_denied",
        "the sound of a desktop is for people: agents do not hear it",
      );
    }
    const desktop = desktopOf(ports, request);
    return (socket) => {
      tellJoined(request, socket, "sound", desktop);
      followSound(socket, desktop, desktopsOf(ports, request));
    };
  });
  route("/websockify", "view", (request) => viewer(request, activeDesktop(ports, request)));
}

function activeDesktop(ports: RoutePorts, request: FastifyRequest): WebDesktop {
  return desktopsOf(ports, request).active(principalOf(request).id);
}

/** Throws RefusedError invalid_parameters. Agents and viewers look on, whatever they ask for. */
function rfbOptions(request: FastifyRequest): RfbOptions {
  const { vx, vy, vw, vh, composite, view_only, say = "" } = parse(viewerQuerySchema, request.query);
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
    said: Buffer.from(say, "base64url"),
  };
}
