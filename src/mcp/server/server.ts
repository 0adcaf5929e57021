import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import { toWebRequest } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  type Implementation,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerOptions,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { may, type Principal } from "../../auth/principal.ts";
import { whenGone } from "../../platform/when-gone.ts";
import { DesktopsOfCaller } from "../tool/granted-desktops.ts";
import { ImageSlots } from "../tool/image-slots.ts";
import { type McpState, openMcpState } from "../tool/mcp-state.ts";
import type { McpPorts, McpTransport } from "../tool/ports.ts";
import { runTool } from "../tool/run-tool.ts";
import { servedTools, type Tool } from "../tool/tool.ts";
import { selectTools, type Toolset, toolsetsOfUrl } from "../tool/toolsets.ts";
import { BROWSER_TOOLS } from "../tools/browser/list.ts";
import { TOOLS } from "../tools/list.ts";
import { Arrivals } from "./arrivals.ts";
import { Elicitation } from "./elicitation.ts";
import { capabilitiesInEnvelope, clientInEnvelope, rpcOf, traceOf } from "./envelope.ts";
import { bodyless, faultHttp, MAX_BODY_BYTES, sendResponse } from "./http.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, SESSION_NOT_FOUND, TRANSPORT_ERROR } from "./json-rpc.ts";
import { LastingServers } from "./lasting-servers.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { ListenBus } from "./listen-bus.ts";
import { listedTool } from "./listing.ts";
import type { Mcp, StdioSession, WhenOver } from "./mcp.ts";
import { PrincipalSessions } from "./principal-sessions.ts";
import { tellProgress } from "./progress.ts";
import { RESOURCE_CAPABILITIES, serveResources } from "./serve-resources.ts";
import { isSsePath, SseFace, type SseRequest } from "./sse.ts";
import { SseTransport } from "./sse-transport.ts";
import { StdioGate } from "./stdio-gate.ts";
import { StdioTransport } from "./stdio-transport.ts";

const SERVER_NAME = "overlay-companion-mcp";

/** The list of tools changes with the version, and when a browser is paired: clients that listen are told of that. */
const TOOLS_TTL_MS = 60 * 60 * 1000;
/** Names of clients are their own words: kept short and plain. */
const MAX_CLIENT_NAME = 100;
/** Clients remembered so that each is announced once. */
const MAX_CLIENTS = 1000;
/** Open `subscriptions/listen` over HTTP in all, and on one connection over stdio. */
const MAX_LISTENING = 500;

/** Makes the SDK's server object of one session or request. */
export type MakeServer = (info: Implementation, options: ServerOptions) => Server;

/**
 * Makes the MCP face: tools, both eras on one URL, sessions, stdio. `makeServer` is for tests that mount the fixtures of
 * the conformance suite on the real face.
 */
export function createMcp(ports: McpPorts, makeServer: MakeServer = plainServer): Mcp {
  return new McpFace(ports, makeServer);
}

function plainServer(info: Implementation, options: ServerOptions): Server {
  return new Server(info, options);
}

/** Who sent a request, and which tools they have. */
interface Sender {
  readonly principal: Principal;
  readonly transport: McpTransport;
  readonly baseUrl: string | null;
  /** Absent: their credential is never taken back. */
  readonly whenOver?: WhenOver | undefined;
  /** As they are at the moment of asking. */
  tools: () => readonly Tool[];
}

class McpFace implements Mcp {
  readonly #ports: McpPorts;
  readonly #makeServer: MakeServer;
  readonly #mcpState: McpState;
  readonly #bus: ListenBus;
  readonly #elicitation: Elicitation;
  readonly #principalSessions: PrincipalSessions;
  readonly #sessions: LegacySessions;
  /** The SDK hands factories the very Request it was given: the way to say who sent it. */
  readonly #senders = new WeakMap<Request, Sender>();
  readonly #modern;
  readonly #sessionless;
  readonly #seen = new Set<string>();
  readonly #lasting: LastingServers;
  /** Of the request that is answered; none over stdio. */
  readonly #slots = new AsyncLocalStorage<ImageSlots>();
  readonly #arrivals = new Arrivals();
  readonly #sse: SseFace;

  constructor(ports: McpPorts, makeServer: MakeServer) {
    this.#ports = ports;
    this.#makeServer = makeServer;
    this.#mcpState = openMcpState(ports);
    this.#bus = new ListenBus(this.#mcpState, (principal) => this.#desktopsOf(principal));
    this.#elicitation = new Elicitation({ questions: ports.questions ?? null, clock: ports.clock });
    this.#principalSessions = new PrincipalSessions(ports.desktops);
    this.#lasting = new LastingServers(ports.log);
    ports.browsers?.browsers.onPaired(() => {
      this.#lasting.toolsChanged();
      this.#bus.toolsChanged();
    });
    this.#sessions = new LegacySessions(ports, this.#lasting, this.#principalSessions);
    this.#sse = new SseFace({
      ...{ clock: ports.clock, slots: this.#slots, arrivals: this.#arrivals },
      find: (id, principalId) => {
        const transport = this.#sessions.transport(id, principalId);
        return transport instanceof SseTransport ? transport : null;
      },
    });
    const factory = ({ requestInfo }: McpRequestContext): Server => {
      const sender = requestInfo === undefined ? undefined : this.#senders.get(requestInfo);
      if (sender === undefined) throw new Error("MCP request without a sender");
      return this.#server(sender);
    };
    // Rejected requests are the client's affair and are answered; there is nothing to log at this level.
    this.#modern = createMcpHandler(factory, {
      legacy: "reject",
      bus: this.#bus,
      maxSubscriptions: MAX_LISTENING,
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    this.#sessionless = legacyStatelessFallback(factory, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
  }

  async handle(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    principal: Principal,
    baseUrl?: string,
    whenOver?: WhenOver,
  ): Promise<void> {
    const slots = new ImageSlots();
    await this.#slots.run(slots, async () => {
      let response: Response | null;
      try {
        response = await this.#respond(req, res, body, { principal, baseUrl: baseUrl ?? null, whenOver });
      } catch (err) {
        this.#ports.log.error({ err }, "MCP request failed");
        response = faultHttp(500, { code: INTERNAL_ERROR, message: "Internal server error", id: null });
      }
      if (response !== null) await sendResponse(res, response, slots);
    });
  }

  serveStdio(
    stdin: Readable,
    stdout: Writable,
    principal: Principal,
    toolsets: readonly Toolset[] | null = null,
  ): StdioSession {
    const sender: Sender = {
      principal,
      transport: "stdio",
      baseUrl: null,
      tools: () => this.#toolsOf(principal, toolsets),
    };
    const gate = new StdioGate(
      this.#ports.clock,
      (line) => stdout.write(line),
      (wanted) => {
        sender.tools = () => this.#toolsOf(principal, wanted);
      },
    );
    const transport = new StdioTransport(gate, stdout, (uris, tell) =>
      this.#bus.follow(principal, uris, tell),
    );
    const handle = serveStdio(() => this.#lasting.add(this.#server(sender), transport.closed), {
      transport,
      maxSubscriptions: MAX_LISTENING,
    });
    void transport.closed.then(this.#principalSessions.begin(principal));
    stdin.once("error", () => gate.end());
    stdin.pipe(gate);
    return { closed: transport.closed, close: () => handle.close() };
  }

  sessionsOf(principalId: string | null): number {
    return this.#principalSessions.count(principalId);
  }

  async close(): Promise<void> {
    this.#elicitation.close();
    this.#sessions.close();
    this.#mcpState.events.close();
    this.#mcpState.screenshots.close();
    await this.#modern.close();
  }

  /** null where an event stream was opened, which is written to as long as it lasts. */
  async #respond(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    caller: Pick<Sender, "principal" | "baseUrl" | "whenOver">,
  ): Promise<Response | null> {
    const { principal, baseUrl } = caller;
    if (!may(principal, "mcp")) {
      const message = `Forbidden: a token of role ${principal.role} may not use MCP, expected agent, operator or admin`;
      return faultHttp(403, { code: TRANSPORT_ERROR, message, id: null });
    }
    const { toolsets, fault } = toolsetsOfUrl(req.url);
    if (fault !== null)
      return faultHttp(400, { code: INVALID_REQUEST, message: `Bad Request: ${fault}`, id: null });
    const abort = new AbortController();
    whenGone(res, () => {
      if (!res.writableFinished) abort.abort();
    });
    const { signal } = abort;
    const tools = (): readonly Tool[] => this.#toolsOf(principal, toolsets);
    const sender: Sender = { ...caller, transport: "http", tools };
    if (isSsePath(req.url)) {
      return this.#respondSse({ req, res, body, baseUrl, signal, principalId: principal.id }, sender);
    }
    let message: object | null = null;
    if (req.method === "POST") {
      const arrival = await this.#arrivals.take(req, body, principal.id, signal);
      if (arrival.refusal !== null) return arrival.refusal;
      message = arrival.message;
      whenGone(res, arrival.leave);
    }
    const request = await toWebRequest(bodyless(req), message ?? undefined, { signal });
    this.#senders.set(request, sender);
    const options = message === null ? {} : { parsedBody: message };
    if (!(await isLegacyRequest(request, message ?? undefined))) {
      return this.#bus.run(principal, message, () => this.#modern.fetch(request, options));
    }
    const sessionId = request.headers.get("mcp-session-id");
    if (sessionId === null) {
      if (message !== null && isInitializeRequest(message)) return this.#open(request, message, sender, res);
      // Scripts that just POST a call are served too; GET and DELETE are answered with 405.
      return this.#sessionless(request, options);
    }
    const transport = this.#sessions.transport(sessionId, principal.id);
    if (transport === null || transport instanceof SseTransport) {
      const text = "Session not found: it ended or is not yours, initialize a new one";
      return faultHttp(404, { code: SESSION_NOT_FOUND, message: text, id: null });
    }
    whenGone(res, this.#sessions.use(sessionId));
    return transport.handleRequest(request, options);
  }

  /** A session of the 2025 era: one server object that lives until its client says goodbye or is idle. */
  async #open(request: Request, message: object, sender: Sender, res: ServerResponse): Promise<Response> {
    const { principal } = sender;
    if (!this.#sessions.makeRoom(principal.id)) return noRoom();
    const server = this.#server(sender);
    let isOpen = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        isOpen = true;
        this.#sessions.begin(id, { server, transport }, sender);
        whenGone(res, this.#sessions.use(id));
      },
      onsessionclosed: (id) => this.#sessions.end(id),
    });
    server.oninitialized = () => this.#see(principal, server.getClientVersion());
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: message });
    if (!isOpen) await server.close();
    return response;
  }

  async #respondSse(request: SseRequest, sender: Sender): Promise<Response | null> {
    if (this.#sse.isMessage(request)) return this.#sse.deliver(request);
    const transport = this.#sse.transportFor(request);
    if (transport instanceof Response) return transport;
    const { principal } = sender;
    if (!this.#sessions.makeRoom(principal.id)) return noRoom();
    const { sessionId } = transport;
    const server = this.#server(sender);
    server.oninitialized = () => this.#see(principal, server.getClientVersion());
    this.#sessions.begin(sessionId, { server, transport }, sender);
    // In use as long as the stream is open, and over when it ends.
    this.#sessions.use(sessionId);
    whenGone(request.res, () => this.#sessions.end(sessionId));
    await server.connect(transport);
    return null;
  }

  /** What the token lets its holder see, else the configuration; then what the caller asked for of it. */
  #toolsOf(principal: Principal, wanted: readonly Toolset[] | null): readonly Tool[] {
    const served = servedTools(TOOLS, this.#ports);
    const hasBrowser = this.#ports.browsers?.browsers.hasFor(principal) === true;
    const all = hasBrowser ? [...served, ...BROWSER_TOOLS] : served;
    return selectTools(selectTools(all, principal.toolsets ?? this.#ports.toolsets ?? null), wanted);
  }

  /** INVARIANT: tools, resources and subscriptions are handed no desktop that their caller's grant leaves out. */
  #desktopsOf(principal: Principal): DesktopsOfCaller {
    return new DesktopsOfCaller(this.#ports.desktops, principal);
  }

  #server(sender: Sender): Server {
    const { principal, transport, baseUrl } = sender;
    const ports = { ...this.#ports, desktops: this.#desktopsOf(principal) };
    const { version } = ports;
    const codec = this.#elicitation.codec(principal);
    const server = this.#makeServer(
      {
        name: SERVER_NAME,
        title: "Overlay Companion",
        version,
        description: "See, use and annotate a remote desktop together with the people who watch it.",
      },
      {
        capabilities: { tools: { listChanged: true }, ...RESOURCE_CAPABILITIES },
        instructions: INSTRUCTIONS,
        cacheHints: { "tools/list": { ttlMs: TOOLS_TTL_MS, cacheScope: "private" } },
        requestState: { verify: codec.verify },
      },
    );
    const clientOf = (context: ServerContext): string | null =>
      this.#see(principal, clientInEnvelope(context.mcpReq.envelope) ?? server.getClientVersion());
    server.setRequestHandler("tools/list", ({ params }, context) => {
      if (params?.cursor !== undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page");
      }
      clientOf(context);
      return { tools: sender.tools().map(listedTool) };
    });
    serveResources(server, sender, ports, this.#mcpState);
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const tool = sender.tools().find(({ name }) => name === params.name);
      if (tool === undefined) {
        const name = JSON.stringify(params.name.slice(0, 60));
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
      }
      const clientName = clientOf(context);
      const trace = traceOf(params, context);
      const caller = { principal, transport, clientName, trace, rpc: rpcOf(context) };
      const images = this.#slots.getStore();
      const stopTelling = tellProgress(context.mcpReq, this.#ports.clock, tool.name);
      const answer = this.#elicitation.call({
        principal,
        context,
        capabilities: capabilitiesInEnvelope(context.mcpReq.envelope) ?? server.getClientCapabilities(),
        mint: (state) => codec.mint(state, context),
        tool: tool.name,
        args: params.arguments,
        baseUrl,
        completed: (id) => server.createElicitationCompletionNotifier(id)(),
        run: (signal) =>
          runTool(tool, params.arguments, { ...caller, signal, images }, ports, this.#mcpState),
      });
      return answer.finally(stopTelling);
    });
    return server;
  }

  /** The client's name, cleaned; tells the house when it is a new one. */
  #see(principal: Principal, client: { name: string; version: string } | undefined): string | null {
    if (client === undefined) return null;
    const name = plain(client.name);
    const version = plain(client.version);
    const key = `${principal.id}\n${name}\n${version}`;
    if (!this.#seen.has(key)) {
      if (this.#seen.size >= MAX_CLIENTS) this.#seen.clear();
      this.#seen.add(key);
      this.#ports.onClient?.({ name, version, principal });
    }
    return name;
  }
}

function noRoom(): Response {
  const text = "Service Unavailable: every MCP session is in use";
  return faultHttp(503, { code: TRANSPORT_ERROR, message: text, id: null }, { "retry-after": "60" });
}

function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
    .trim()
    .slice(0, MAX_CLIENT_NAME);
}
