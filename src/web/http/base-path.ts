import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** Below which path of its host the app is reached: "/oc"; "" at its root. */
    readonly basePath: string;
  }
}

/**
 * The address as the routes have it. A proxy may hand on the path that it was asked for or take the base away itself, and whoever
 * asks this server directly may say it or not.
 */
export function withoutBase(url: string, basePath: string): string {
  if (basePath === "" || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === "") return "/";
  if (rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}

/** Routes name addresses of ours from their root on; what leaves as a redirect is below the base. */
export function keepBelowBase(app: FastifyInstance): void {
  app.addHook("onSend", async (_request, reply) => {
    const location = reply.getHeader("location");
    if (typeof location !== "string" || !/^\/(?!\/)/.test(location)) return;
    reply.header("location", app.basePath + location);
  });
}

/** Where a cookie of the whole app counts: other programs of the same host do not get it. */
export function cookiePath({ server: { basePath } }: FastifyRequest): string {
  return basePath === "" ? "/" : basePath;
}
