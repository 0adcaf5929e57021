import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { OneTimeCodes } from "../../auth/one-time-codes.ts";
import { type Principal, personBehind } from "../../auth/principal.ts";
import { type NewTicket, ticketBodySchema } from "../api/tickets-api.ts";
import { auditedActor, auditedRequest, principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import { desktopOf } from "./desktops.ts";
import { baseUrl } from "./metadata.ts";

/** Links for guests: good once and for a minute, for one desktop, for a while. What they hold is never a token. */
export function ticketRoutes(
  app: FastifyInstance,
  tickets: Pick<OneTimeCodes, "issue" | "lifetimeMs">,
  ports: RoutePorts,
): void {
  const config = { access: "invite" } as const;
  app.post("/api/v1/desktops/:id/tickets", { config }, (request, reply): NewTicket => {
    const desktop = desktopOf(ports, request);
    const { role, name, view_only, minutes } = parse(ticketBodySchema, request.body ?? {});
    const host = principalOf(request);
    const person = personBehind(host);
    const guest: Principal = {
      id: `guest:${randomBytes(8).toString("hex")}`,
      name: `${name} (guest of ${host.name})`,
      role,
      desktops: [desktop.id],
      // Whoever has the link may be its maker.
      ...(person === null ? {} : { owner: person }),
      guest: {
        hostId: host.id,
        endsAtMs: ports.clock.nowMs() + minutes * 60_000,
        isViewOnly: view_only,
      },
    };
    const code = tickets.issue(guest);
    ports.audit.record({
      type: "ticket.issued",
      severity: "notice",
      actor: auditedActor(host, request),
      action: role,
      request: auditedRequest(request),
      resource: { kind: "guest", id: guest.id },
      counts: { minutes, view_only: view_only ? 1 : 0 },
    });
    reply.code(201).header("cache-control", "no-store");
    const next = new URLSearchParams({ next: `/desktops/${encodeURIComponent(desktop.id)}`, guest: "1" });
    return {
      // What is behind the # is sent to nobody before a person presses the button there: links are looked at by many.
      url: `${baseUrl(request)}/signin?${next}#token=${code}`,
      guest_id: guest.id,
      expires_at: new Date(ports.clock.date().getTime() + tickets.lifetimeMs).toISOString(),
    };
  });
}
