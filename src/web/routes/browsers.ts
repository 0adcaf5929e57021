import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import * as z from "zod";
import type { BridgeSocket } from "../../browser/bridge-socket.ts";
import { BRIDGE_PATH, EXTENSION_ORIGIN, SUBPROTOCOL } from "../../browser/wire/calls.ts";
import { formatPairingLink } from "../../browser/wire/pairing-link.ts";
import { RefusedError } from "../../desktop/error.ts";
import { type BrowserDetails, type NewPairing, pairingBodySchema } from "../api/browsers-api.ts";
import { auditedActor, auditedRequest, principalOf } from "../http/access.ts";
import { WebError } from "../http/error.ts";
import type { OpenSockets } from "../http/open-sockets.ts";
import { parse } from "../http/parse.ts";
import type { BrowsersFace, RoutePorts } from "../http/ports.ts";
import { baseUrl } from "./metadata.ts";

const paramsSchema = z.object({ id: z.string().min(1).max(100) });

export interface BrowserParts {
  readonly ports: Pick<RoutePorts, "audit" | "tokens" | "trustProxy">;
  readonly keeper: OpenSockets;
}

/** Browsers whose tabs agents may use: the extension, pairing it, and the socket that it dials. */
export function browserRoutes(
  app: FastifyInstance,
  { browsers, extension }: BrowsersFace,
  { ports, keeper }: BrowserParts,
): void {
  const config = { access: "admin" } as const;
  app.get("/api/v1/browsers", { config }, (): BrowserDetails[] =>
    browsers.all.map(({ id, name, createdAt, agentId, isConnected, sharedTabs }) => ({
      ...{ id, name, created_at: createdAt, agent_id: agentId },
      ...{ is_connected: isConnected, shared_tabs: sharedTabs },
    })),
  );
  app.post("/api/v1/browsers/pairings", { config }, (request, reply): NewPairing => {
    const { agent_id: agentId } = parse(pairingBodySchema, request.body ?? {});
    const isKnown = agentId === null || ports.tokens?.list().some(({ id }) => id === agentId);
    if (!isKnown)
      throw new RefusedError("not_found", "there is no such token: GET /api/v1/tokens lists them");
    reply.code(201).header("cache-control", "no-store");
    return makePairing(request, agentId, { browsers, ports });
  });
  app.delete("/api/v1/browsers/:id", { config }, async (request, reply) => {
    const { id } = parse(paramsSchema, request.params);
    if (!(await browsers.unpair(id))) {
      throw new RefusedError("not_found", "there is no such browser: GET /api/v1/browsers lists them");
    }
    return reply.code(204).send();
  });
  app.get("/browser-extension.zip", { config: { access: "signed-in" } }, (_request, reply) => {
    if (extension === null) throw new WebError("not_built", "the browser extension is not built");
    return reply
      .type("application/zip")
      .header("content-disposition", 'attachment; filename="overlay-companion-bridge.zip"')
      .send(Buffer.from(extension));
  });
  bridgeRoute(app, browsers, { ports, keeper });
}

/** A link that pairs one browser, once. Throws RefusedError too_many. */
export function makePairing(
  request: FastifyRequest,
  agentId: string | null,
  { browsers, ports }: Pick<BrowserParts, "ports"> & Pick<BrowsersFace, "browsers">,
): NewPairing {
  const pairing = browsers.issue(dialledUrl(request, ports), agentId);
  ports.audit.record({
    type: "browser.pairing_made",
    severity: "notice",
    actor: auditedActor(principalOf(request), request),
    action: agentId === null ? "every agent" : "one agent",
    request: auditedRequest(request),
  });
  return { link: formatPairingLink(pairing), expires_at: pairing.expiresAt.toISOString() };
}

/** Who dials proves by its messages which pairing it has: browsers send no token with a WebSocket of an extension. */
function bridgeRoute(
  app: FastifyInstance,
  browsers: BrowsersFace["browsers"],
  { ports, keeper }: BrowserParts,
): void {
  const refuse = (): never => {
    throw new WebError("upgrade_required", "this address answers only WebSockets of the browser extension");
  };
  app.route({
    method: "GET",
    url: BRIDGE_PATH,
    exposeHeadRoute: false,
    config: { access: "open", isSocket: true, onlyOrigin: EXTENSION_ORIGIN },
    preHandler: async (request) => {
      const offered = request.headers["sec-websocket-protocol"] ?? "";
      if (!request.ws || !offered.split(",").some((one) => one.trim() === SUBPROTOCOL)) refuse();
      keeper.checkRoom(null);
    },
    handler: refuse,
    wsHandler: (socket, request) => {
      keeper.add(socket, null);
      void browsers.accept(bridgeSocket(socket), dialledUrl(request, ports));
    },
  });
}

/**
 * Where we were truly dialled. A program that squats on the port that a browser was paired with, and relays to ours, can
 * send any Host header; which port of ours it reached on this machine it cannot choose.
 */
function dialledUrl(request: FastifyRequest, { trustProxy }: BrowserParts["ports"]): string {
  const url = new URL(baseUrl(request).replace(/^http/, "ws"));
  const { localAddress = "", localPort } = request.raw.socket;
  const isDirect = trustProxy === false && (localAddress === "::1" || /^(::ffff:)?127\./.test(localAddress));
  if (isDirect && localPort !== undefined && url.protocol === "ws:") url.port = String(localPort);
  return `${url.origin}${request.server.basePath}${BRIDGE_PATH}`;
}

function bridgeSocket(socket: WebSocket): BridgeSocket {
  return {
    send: (data) => {
      if (socket.readyState === socket.OPEN) socket.send(data);
    },
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    onFrame: (listener) => {
      socket.on("message", (data, isBinary) => {
        if (!isBinary) listener(String(data));
        else if (Buffer.isBuffer(data)) listener(data);
      });
    },
    onClose: (listener) => {
      socket.once("close", listener);
    },
  };
}
