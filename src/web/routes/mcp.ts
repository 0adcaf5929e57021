import { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { cutWhenVoid } from "../http/aborted-by.ts";
import { credentialOf } from "../http/access.ts";
import { HTTP_LIMITS } from "../http/http-limits.ts";
import type { RoutePorts } from "../http/ports.ts";
import { baseUrl } from "./metadata.ts";

/**
 * `POST|GET|DELETE /mcp` and the same at `/`; `GET /` is shared with the web app and lives in pages.ts. `/sse` and `/message`
 * are for clients of 2024-11-05; those of later versions try a POST at whatever address they are told, and then take 405 well.
 */
export function mcpRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const config = { access: "mcp", isMcp: true } as const;
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    handToMcp(ports, request, reply);
  app.route({ method: ["POST", "GET", "DELETE"], url: "/mcp", config, handler, exposeHeadRoute: false });
  app.route({ method: ["POST", "DELETE"], url: "/", config, handler });
  app.route({ method: ["GET", "POST"], url: "/sse", config, handler, exposeHeadRoute: false });
  app.route({ method: "POST", url: "/message", config, handler });
}

/** From here on the MCP face answers on the raw response: it streams for as long as the client listens. */
export async function handToMcp(
  ports: RoutePorts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw: response } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) response.setHeader(name, value);
  }
  reply.hijack();
  // Destroying the answer cancels what was asked for: who answers hears that nobody listens.
  cutWhenVoid(ports, request, reply);
  const { socket } = request.raw;
  if (socket instanceof Socket) {
    // The connection's time limit is for requests; an event stream may be silent for hours.
    socket.setTimeout(0);
    // Once all is said, it is the client's turn to read.
    response.once("prefinish", () => socket.setTimeout(HTTP_LIMITS.silenceTimeoutMs));
  }
  try {
    const credential = credentialOf(request);
    await ports.mcp.handle(
      request.raw,
      response,
      request.body ?? undefined,
      { ...credential.principal, ip: request.ip },
      baseUrl(request),
      (onOver) => ports.authenticator.whenOver(credential, onOver),
    );
  } catch (error) {
    request.log.error({ err: error }, "MCP request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.writeHead(500, { "content-type": "application/json" });
    response.end(rpcError(-32603, "internal error"));
  }
}

/** A JSON-RPC 2.0 error that answers no particular request. */
export function rpcError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
}
