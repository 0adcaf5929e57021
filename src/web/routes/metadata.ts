import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AppPorts, RoutePorts } from "../http/ports.ts";

const PATH = "/.well-known/oauth-protected-resource";
const MCP = "/mcp";

/**
 * The value of WWW-Authenticate, RFC 6750 section 3 and RFC 9728 section 5.1; where a provider's tokens open MCP, with the
 * scopes to ask it for.
 */
export function challenge(
  request: FastifyRequest,
  code: string,
  accessTokens: AppPorts["accessTokens"],
): string {
  const isMcp = accessTokens !== undefined && new URL(accessTokens.resource).pathname.endsWith(MCP);
  const scope = accessTokens?.scopes.join(" ") ?? "";
  const error = code === "insufficient_scope" ? code : "invalid_token";
  const isWrong = request.headers.authorization !== undefined;
  return `Bearer ${[
    ...(isWrong ? [`error="${error}"`] : []),
    ...(scope === "" ? [] : [`scope="${scope}"`]),
    `resource_metadata="${baseUrl(request)}${PATH}${isMcp ? MCP : ""}"`,
  ].join(", ")}`;
}

/** Scheme, host and base as the caller knows us; the host was checked before. */
export function baseUrl(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}${request.server.basePath}`;
}

/**
 * OAuth 2.0 Protected Resource Metadata, RFC 9728. Where all tokens are ours it names no authorization server; else the one
 * whose tokens open MCP, by the name that those are made out to.
 */
export function metadataRoutes(
  app: FastifyInstance,
  { accessTokens }: Pick<RoutePorts, "accessTokens">,
): void {
  const config = { access: "open" } as const;
  // Section 3.1: a client that was told /mcp looks behind the well-known path first.
  for (const resource of ["", MCP]) {
    app.get(`${PATH}${resource}`, { config }, (request) => ({
      resource: accessTokens?.resource ?? `${baseUrl(request)}${resource === "" ? "/" : resource}`,
      ...(accessTokens === undefined ? {} : serverOf(accessTokens)),
      bearer_methods_supported: ["header"],
      resource_name: "Overlay Companion",
    }));
  }
}

function serverOf({ scopes, issuer }: NonNullable<RoutePorts["accessTokens"]>) {
  return {
    authorization_servers: [issuer],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
  };
}
