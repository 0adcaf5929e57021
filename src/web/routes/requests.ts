import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import { RefusedError } from "../../desktop/error.ts";
import { requestInfo } from "../api/desktop-json.ts";
import { openRequests } from "../api/event-hub.ts";
import { type RequestInfo, requestBodySchema, requestSchema } from "../api/requests-api.ts";
import { AccessGuard, principalOf } from "../http/access.ts";
import { auditFirst } from "../http/audit-first.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import { desktopsOf } from "./desktops.ts";

const paramsSchema = z.object({ id: z.string().max(100) });

/** What agents ask people to do on all desktops, oldest first, and the one way to take or end it over HTTP. */
export function requestRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const gate = new AccessGuard(ports);
  const see = { config: { access: "approve" } } as const;
  const answer = { config: { access: "approve", isAuditedFirst: false } } as const;
  app.get("/api/v1/requests", see, async (request): Promise<RequestInfo[]> => {
    const far = await ports.far.gather(request, z.array(requestSchema));
    return [...openRequests(desktopsOf(ports, request).all), ...far].sort(byAsked);
  });
  app.post("/api/v1/requests/:id", answer, async (request): Promise<RequestInfo> => {
    const { id } = parse(paramsSchema, request.params);
    const body = parse(requestBodySchema, request.body);
    const by = actorOf(principalOf(request), request.ip);
    const isTaking = body.do === "take";
    // Who answers may not always use the desktop too.
    if (isTaking) gate.requirePermission(request, "input");
    // Taking only keeps agents from something; an end gives back what they see, and is written down before.
    else await auditFirst(ports.audit, request);
    const desktop = desktopsOf(ports, request).all.find(({ requests }) => isOpen(requests, id));
    if (desktop?.requests === undefined) {
      throw new RefusedError("not_found", "no such open request: it is over, has expired or never existed");
    }
    if (isTaking) ports.asked?.check(desktop.id);
    const answered =
      body.do === "take"
        ? desktop.requests.take(id, body.private ?? false, by)
        : desktop.requests.end(
            id,
            { state: body.do === "done" ? "done" : "declined", answer: body.answer ?? null },
            by,
          );
    // Who types a code next must know that no other node will show it.
    await ports.asked?.settled(desktop.id);
    return requestInfo(answered);
  });
}

function byAsked(a: RequestInfo, b: RequestInfo): number {
  return a.asked_at.localeCompare(b.asked_at);
}

function isOpen(
  requests: { readonly open: readonly { readonly id: string }[] } | undefined,
  id: string,
): boolean {
  return requests?.open.some((one) => one.id === id) === true;
}
