import type { FastifyInstance, FastifyRequest } from "fastify";

const PATH = "/.well-known/oauth-protected-resource";

/** The value of WWW-Authenticate, RFC 6750 section 3 and RFC 9728 section 5.1. */
export function challenge(request: FastifyRequest): string {
  const isWrong = request.headers.authorization !== undefined;
  const metadata = `resource_metadata="${baseUrl(request)}${PATH}"`;
  return isWrong ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`;
}

/** Scheme and host as the caller knows us; the host was checked before. */
export function baseUrl(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

/** OAuth 2.0 Protected Resource Metadata, RFC 9728: tokens are ours alone, so it names no authorization server. */
export function metadataRoutes(app: FastifyInstance): void {
  const config = { access: "open" } as const;
  // Section 3.1: a client that was told /mcp looks behind the well-known path first.
  for (const resource of ["", "/mcp"]) {
    app.get(`${PATH}${resource}`, { config }, (request) => ({
      resource: `${baseUrl(request)}${resource === "" ? "/" : resource}`,
      bearer_methods_supported: ["header"],
      resource_name: "Overlay Companion",
    }));
  }
}
