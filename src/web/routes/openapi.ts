import type { FastifyInstance, RouteOptions } from "fastify";
import { nextTurn } from "../../platform/loop-turns.ts";
import { VERSION } from "../../platform/version.ts";
import { type DescribedRoute, documentHead, operationOf } from "../api/openapi/document.ts";

/**
 * `GET /api/openapi.json`: every route that programs may call, made of the routes as they are registered and of the schemas that
 * they read with. Once, a route in each turn of the loop: schemas of all of them take a tenth of a second.
 */
export function openApiRoute(app: FastifyInstance): void {
  const routes: DescribedRoute[] = [];
  app.addHook("onRoute", ({ method, url, config }: RouteOptions) => {
    for (const each of [method].flat()) {
      if (each !== "HEAD") routes.push({ method: each, url, access: config?.access ?? "open" });
    }
  });
  let made: Promise<string> | null = null;
  app.get("/api/openapi.json", { config: { access: "signed-in" } }, async (_request, reply) => {
    made ??= openApiDocument(routes, app.basePath);
    return reply.type("application/json; charset=utf-8").send(await made);
  });
}

async function openApiDocument(routes: readonly DescribedRoute[], base: string): Promise<string> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operation = operationOf(route);
    if (operation === null) continue;
    const { path, method, item } = operation;
    paths[path] = { ...paths[path], [method]: item };
    await nextTurn();
  }
  return JSON.stringify({ ...documentHead(VERSION, base), paths });
}
