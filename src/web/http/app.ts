import fastifyCookie from "@fastify/cookie";
import fastifyStatic from "@fastify/static";
import fastifyWebsocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fastify, { LogController } from "fastify";
import * as z from "zod";
import { SUBPROTOCOL } from "../../browser/wire/calls.ts";
import { loopTurns, nextTurn } from "../../platform/loop-turns.ts";
import type { RecordingsFace } from "../../recording/library/recording-types.ts";
import { OpenReaders } from "../../recording/read/open-readers.ts";
import { ActionPictures } from "../api/action-pictures.ts";
import { AgentLooks } from "../api/agents/agent-looks.ts";
import { refuseBroken } from "../api/client-error.ts";
import { DesktopDescriber } from "../api/desktop-details.ts";
import { EventHub } from "../api/event-hub.ts";
import { InputAsks } from "../api/input-asks.ts";
import { KeptActions } from "../api/kept-actions.ts";
import { answerRoutes } from "../routes/answers.ts";
import { approvalRoutes } from "../routes/approvals.ts";
import { auditLogRoutes } from "../routes/audit-log.ts";
import { browserRoutes } from "../routes/browsers.ts";
import { configRoutes } from "../routes/config.ts";
import { connectRoute } from "../routes/connect/connect.ts";
import { desktopRoutes } from "../routes/desktops.ts";
import { fileRoutes } from "../routes/files/files.ts";
import { fleetRoutes } from "../routes/fleet/fleet.ts";
import { recordingPartRoutes } from "../routes/fleet/recording-parts.ts";
import { healthRoutes } from "../routes/health.ts";
import { maskRoutes } from "../routes/masks.ts";
import { mcpRoutes, rpcError } from "../routes/mcp.ts";
import { meRoutes } from "../routes/me.ts";
import { challenge, metadataRoutes } from "../routes/metadata.ts";
import { oidcRoutes } from "../routes/oidc.ts";
import { openApiRoute } from "../routes/openapi.ts";
import { overlayRoutes } from "../routes/overlays.ts";
import { pageRoutes } from "../routes/pages.ts";
import { pushRoutes } from "../routes/push.ts";
import { recordingPictureRoutes } from "../routes/recordings/pictures.ts";
import { recordingRoutes } from "../routes/recordings/recordings.ts";
import { replayRoutes } from "../routes/recordings/replays.ts";
import { requestRoutes } from "../routes/requests.ts";
import { ruleRoutes } from "../routes/rules.ts";
import { screenshotRoutes } from "../routes/screenshot.ts";
import { secretRoutes } from "../routes/secrets.ts";
import { SignIn, sessionRoutes } from "../routes/session.ts";
import { socketRoutes } from "../routes/sockets.ts";
import { ticketRoutes } from "../routes/tickets.ts";
import { tokenRoutes } from "../routes/tokens.ts";
import { AccessGuard, auditedActor, auditedRequest, principalOf } from "./access.ts";
import { auditFirst, needsAuditFirst } from "./audit-first.ts";
import { keepBelowBase, withoutBase } from "./base-path.ts";
import { isLargeBody, readBodiesInTurns } from "./body-turns.ts";
import { Cors } from "./cors.ts";
import { errorAnswer, WebError } from "./error.ts";
import { FarDesktops } from "./far/far-desktops.ts";
import { DesktopsOfCaller } from "./granted-desktops.ts";
import { RecordingsOfCaller } from "./granted-recordings.ts";
import { HostGuard } from "./host-guard.ts";
import { HTTP_LIMITS, makeServer, SOCKET_LIMITS } from "./http-limits.ts";
import { faultOfJson } from "./json-body.ts";
import { OpenSockets } from "./open-sockets.ts";
import type { AppPorts, RoutePorts } from "./ports.ts";
import { RateLimits } from "./rate-limits.ts";
import { ReadingAudit } from "./reading-audit.ts";
import { RefusalAudit } from "./refusal-audit.ts";
import { RequestAudit } from "./request-audit.ts";
import { SECURITY_HEADERS, TRANSPORT_SECURITY } from "./security-headers.ts";

/**
 * The whole HTTP face on one port. `listen` and `close` are the caller's; closing ends the sockets that were
 * accepted here too.
 */
export function buildApp(ports: AppPorts): FastifyInstance {
  const app = fastify({
    loggerInstance: ports.logger,
    // Our own line names the route, never the URL: addresses may hold tokens.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: HTTP_LIMITS.bodyBytes,
    // "A proxy of your own" is the one at the other end: what else the header lists its client may have made up.
    trustProxy: ports.trustProxy === true ? (_address, hop) => hop === 0 : ports.trustProxy,
    rewriteUrl: (request) => withoutBase(request.url ?? "/", ports.basePath),
    onProtoPoisoning: "error",
    onConstructorPoisoning: "error",
    forceCloseConnections: true,
    serverFactory: (handler) => makeServer(ports.tls, handler),
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply);
      // No hook runs for these, and so nobody else ends the socket of an upgrade.
      if (request.headers.upgrade !== undefined) {
        reply.header("connection", "close").raw.once("finish", () => request.raw.socket.destroy());
      }
      sendError(error, request, reply, ports);
    },
    clientErrorHandler: refuseBroken,
  });
  app.decorate("basePath", ports.basePath);
  app.decorateRequest("credential", null);
  keepBelowBase(app);
  // Here and not below: a preflight is of no route.
  const cors = new Cors(ports.corsOrigins);
  app.addHook("onRequest", async (request, reply) => (cors.answer(request, reply) ? reply : undefined));
  app.register(fastifyCookie);
  app.register(fastifyStatic, { root: ports.clientDir, serve: false, wildcard: false, preCompressed: true });
  const keeper = new OpenSockets(ports.authenticator, ports.clock);
  app.register(fastifyWebsocket, {
    options: { ...SOCKET_LIMITS, handleProtocols: chosenProtocol },
    // The error is in the peer's frames: ws closes with the code that says so, and the keeper cuts who stays.
    errorHandler: (_error, _socket, request) => request.log.debug("WebSocket peer broke the protocol"),
    preClose: (done) => {
      void keeper.close().finally(() => done());
    },
  });
  // In a plugin of their own, so that they come after what the plugins above add to each request.
  app.register((scope, _options, done) => {
    const far = new FarDesktops(ports);
    addGuards(scope, ports, far);
    addRoutes(scope, { ...ports, far }, keeper);
    done();
  });
  return app;
}

function addGuards(app: FastifyInstance, ports: AppPorts, far: FarDesktops): void {
  const guard = new HostGuard(ports.host, ports.allowedHosts, ports.corsOrigins);
  const gate = new AccessGuard(ports);
  const requests = new RequestAudit(ports.audit, ports.auditRequests ?? "off");
  app.addHook("onRoute", (route) => {
    // INVARIANT: no route exists without having said who may use it.
    if (route.config?.access === undefined) throw new Error(`the route ${route.url} names no access`);
  });
  app.addHook("onRequest", async (request, reply) => {
    setHeaders(request, reply);
    try {
      await check(request, reply);
    } finally {
      requests.begun(request);
    }
    if (await far.answer(request, reply)) return reply;
    return undefined;
  });
  const check = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // The node that carries it asked us by the name that its certificate proves.
    if (!gate.isCarried(request))
      guard.check({
        protocol: request.protocol,
        hostHeader: request.headers.host,
        hostHeaders: countOfHost(request.raw.rawHeaders),
        forwardedHost: request.host,
        origin: request.headers.origin,
        onlyOrigin: request.routeOptions.config.onlyOrigin,
        localAddress: request.raw.socket.localAddress,
      });
    if (request.ws && request.routeOptions.config.isSocket !== true) {
      throw new WebError("invalid_request", "this address is no WebSocket");
    }
    await gate.check(request, reply);
  };
  app.addHook("preHandler", async (request) => {
    countAgentCall(request, ports);
    if (needsAuditFirst(request)) await auditFirst(ports.audit, request);
  });
  app.addHook("onResponse", async (request, reply) => {
    requests.answered(request, reply);
    request.log.debug(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        principal: request.credential?.principal.id ?? null,
      },
      "Request answered",
    );
  });
  const audit = new RefusalAudit((entry) => ports.audit.record(entry), ports.clock);
  app.setErrorHandler((error, request, reply) => {
    const principal = request.credential?.principal;
    const actor =
      principal === undefined
        ? { id: "", name: "", kind: "unknown", ip: request.ip }
        : auditedActor(principal, request);
    const { code } = errorAnswer(error);
    requests.failed(request, code);
    audit.refused(code, request.ip, { actor, request: auditedRequest(request) });
    sendError(error, request, reply, ports);
  });
  readBodiesInTurns(app);
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body);
    // Programs name the type on requests without a body too.
    if (text === "") return done(null, undefined);
    const parse = (): void => void parseJson(request, text, done);
    const read = (): void => {
      const fault = faultOfJson(text);
      if (fault !== null) done(fault);
      // Looking through a large one takes ten milliseconds and parsing it as many: not both in one turn.
      else if (isLargeBody(request)) void nextTurn().then(parse);
      else parse();
    };
    const turn = isLargeBody(request) ? loopTurns.claim() : null;
    if (turn === null) read();
    else void turn.then(read);
  });
}

function addRoutes(
  app: FastifyInstance,
  house: AppPorts & Pick<RoutePorts, "far">,
  keeper: OpenSockets,
): void {
  const { desktops, recordings, ...others } = house;
  // INVARIANT: no route is handed what its caller's grant leaves out.
  const ports: RoutePorts = {
    ...others,
    desktopsOf: (principal) => new DesktopsOfCaller(desktops, principal),
  };
  const limits = new RateLimits(ports.clock, ports.rateTiers);
  const describer = new DesktopDescriber(ports.clock, ports.clients, recordings, {
    ...(ports.identitiesOf === undefined ? {} : { identitiesOf: ports.identitiesOf }),
    lastConnected: (id) => desktops.lastConnected?.(id) ?? null,
  });
  const pictures = new ActionPictures(desktops, ports.clock);
  const looks = new AgentLooks(ports.clock);
  const hubParts = { describer, pictures, looks, clock: ports.clock };
  const hub = new EventHub(desktops, ports.clients, hubParts, recordings);
  const signIn = new SignIn(ports, limits);
  const reading = new ReadingAudit((entry) => ports.audit.record(entry), ports.clock);
  app.addHook("onClose", async () => {
    hub.close();
    pictures.close();
  });
  // First, for it hears of each route that is registered after it.
  openApiRoute(app);
  const gate = new AccessGuard(ports);
  healthRoutes(app, ports, gate);
  metadataRoutes(app, ports);
  pageRoutes(app, ports, { gate, signIn });
  sessionRoutes(app, signIn);
  oidcRoutes(app, ports, { signIn, limits });
  mcpRoutes(app, ports);
  configRoutes(app, ports, limits);
  meRoutes(app, ports);
  const kept = new KeptActions(ports.auditLog ?? null, ports.clock);
  const asks = new InputAsks(ports.clock, (to, message) => hub.tellOne(to, message));
  desktopRoutes(app, ports, { describer, limits, pictures, looks, kept, asks, reading });
  screenshotRoutes(app, ports, reading);
  overlayRoutes(app, ports);
  approvalRoutes(app, ports, reading);
  requestRoutes(app, ports);
  pushRoutes(app, ports);
  if (ports.answers !== undefined) answerRoutes(app, ports.answers, ports, limits);
  ruleRoutes(app, ports);
  maskRoutes(app, ports);
  fileRoutes(app, ports, reading);
  if (ports.tokens !== undefined) tokenRoutes(app, ports.tokens, ports);
  if (ports.secrets !== undefined) secretRoutes(app, ports.secrets, ports.audit);
  fleetRoutes(app, ports);
  if (ports.auditLog !== undefined) auditLogRoutes(app, ports.auditLog, reading);
  if (ports.tickets !== undefined) ticketRoutes(app, ports.tickets, ports);
  if (recordings !== undefined) addRecordingRoutes(app, ports, recordings, { reading, limits });
  if (ports.browsers !== undefined) {
    browserRoutes(app, ports.browsers, { ports, keeper });
    connectRoute(app, ports.browsers, { ports, clientDir: ports.clientDir });
  }
  socketRoutes(app, ports, { hub, keeper });
}

function addRecordingRoutes(
  app: FastifyInstance,
  ports: RoutePorts,
  recordings: RecordingsFace,
  { reading, limits }: { readonly reading: ReadingAudit; readonly limits: RateLimits },
): void {
  const { wholes } = recordings;
  const joined = {
    open: (id: string) => wholes.open(id),
    keyOf: (id: string) => wholes.keyOf(id),
    on: (listener: Parameters<RecordingsFace["on"]>[0]) => recordings.on(listener),
  };
  const readers = {
    wholes: new OpenReaders(joined, ports.clock),
    parts: new OpenReaders(recordings, ports.clock),
  };
  app.addHook("onClose", async () => {
    readers.wholes.close();
    readers.parts.close();
  });
  const recordingsOf = (request: FastifyRequest): RecordingsOfCaller => {
    const principal = principalOf(request);
    return new RecordingsOfCaller({ recordings, readers }, ports.desktopsOf(principal), principal);
  };
  const parts = { recordingsOf, reading, audit: ports.audit, far: ports.far };
  recordingRoutes(app, parts);
  replayRoutes(app, ports);
  recordingPictureRoutes(app, { ...parts, limits, authenticator: ports.authenticator });
  recordingPartRoutes(app, recordings, recordingsOf);
}

/** An agent's calls over REST are of the same buckets as those over MCP. Throws RefusedError rate_limited. */
function countAgentCall(request: FastifyRequest, { desktops, rates }: AppPorts): void {
  const { rate = "default" } = request.routeOptions.config;
  const principal = request.credential?.principal;
  if (principal?.role !== "agent" || rate === "own") return;
  if (request.routeOptions.url?.startsWith("/api/") !== true) return;
  const { id } = z.object({ id: z.string().optional() }).catch({}).parse(request.params);
  const desktop = new DesktopsOfCaller(desktops, principal).all.find((one) => one.id === id);
  rates.take(rate, principal, desktop?.id ?? "");
}

/** noVNC offers binary, the browser extension its own; others offer none. */
function chosenProtocol(offered: Set<string>): string | false {
  return [SUBPROTOCOL, "binary"].find((protocol) => offered.has(protocol)) ?? false;
}

/** Of names and values by turns, as they were sent. */
function countOfHost(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, nth) => nth % 2 === 0 && text.toLowerCase() === "host").length;
}

function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
  if (request.protocol === "https") reply.header("strict-transport-security", TRANSPORT_SECURITY);
}

/** Every error of every route: the shape of `errorSchema`, or JSON-RPC where MCP asks for it. */
function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { accessTokens }: Pick<AppPorts, "accessTokens">,
): void {
  const answer = errorAnswer(error);
  if (answer.code === "internal") request.log.error({ err: error }, "Request failed");
  if (answer.retryAfterMs !== null) reply.header("retry-after", Math.ceil(answer.retryAfterMs / 1000));
  if (answer.status === 401 || answer.code === "insufficient_scope") {
    reply.header("www-authenticate", challenge(request, answer.code, accessTokens));
  }
  reply.code(answer.status).type("application/json; charset=utf-8").header("cache-control", "no-store");
  // JSON-RPC 2.0 section 5.1: what is no JSON is a parse error, with an unknown id.
  if (answer.code === "invalid_json" && request.routeOptions?.config?.isMcp === true) {
    reply.send(rpcError(-32700, answer.message));
    return;
  }
  const { code, message, hint, done, heldBy: held_by } = answer;
  reply.send(JSON.stringify({ error: { code, message, hint, done, held_by } }));
}
