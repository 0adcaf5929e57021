import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import { audienceOf } from "../../auth/audience.ts";
import type { Decision } from "../../desktop/control/approvals/approvals.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { ApprovalInfo, DecisionBody, GrantInfo } from "../api/api.ts";
import { approvalSchema, decisionBodySchema, grantSchema } from "../api/api.ts";
import { approvalInfo } from "../api/desktop-json.ts";
import { pendingApprovals, standingGrants } from "../api/event-hub.ts";
import { AccessGuard, principalOf } from "../http/access.ts";
import { auditFirst } from "../http/audit-first.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import type { ReadingAudit } from "../http/reading-audit.ts";
import { desktopsOf } from "./desktops.ts";

const paramsSchema = z.object({ approvalId: z.string().max(100) });
const grantParamsSchema = z.object({ grantId: z.string().max(100) });

/** The open questions of all desktops, oldest first, and the one way to answer them over HTTP. */
export function approvalRoutes(app: FastifyInstance, ports: RoutePorts, reading: ReadingAudit): void {
  const approve = { config: { access: "approve" } } as const;
  const decide = { config: { access: "approve", isAuditedFirst: false } } as const;
  const gate = new AccessGuard(ports);
  app.get("/api/v1/approvals", approve, async (request): Promise<ApprovalInfo[]> => {
    const desktops = desktopsOf(ports, request);
    const pending = pendingApprovals(desktops);
    if (pending.length > 0) reading.read("approval.viewed", request);
    for (const { id } of pending) desktops.questions.shown(id, principalOf(request), "words");
    const far = await ports.far.gather(request, z.array(approvalSchema));
    return [...pending, ...far].sort((a, b) => a.asked_at.localeCompare(b.asked_at));
  });
  app.get("/api/v1/approvals/:approvalId/picture.png", approve, async (request, reply) => {
    const { approvalId } = parse(paramsSchema, request.params);
    const picture = await desktopsOf(ports, request).questions.picture(
      approvalId,
      audienceOf(principalOf(request)),
    );
    if (picture === null) {
      throw new RefusedError(
        "not_found",
        "no open approval of that id has a picture: it was decided, has expired or never existed",
      );
    }
    const resource = { kind: "approval", id: approvalId } as const;
    reading.read("approval.viewed", request, { resource, action: "picture" });
    // Before it leaves, so that nobody has seen it for longer than is known here.
    desktopsOf(ports, request).questions.shown(approvalId, principalOf(request), "all");
    return reply.type("image/png").header("cache-control", "no-store").send(Buffer.from(picture));
  });
  app.get("/api/v1/grants", approve, async (request): Promise<GrantInfo[]> => {
    const here = standingGrants(desktopsOf(ports, request));
    return [...here, ...(await ports.far.gather(request, z.array(grantSchema)))];
  });
  app.delete("/api/v1/grants/:grantId", approve, (request, reply) => {
    const { grantId } = parse(grantParamsSchema, request.params);
    const by = actorOf(principalOf(request), request.ip);
    if (!desktopsOf(ports, request).all.some(({ grants }) => grants.revoke(grantId, by))) {
      throw new RefusedError("not_found", "nothing of that id is allowed: it has ended or never existed");
    }
    return reply.code(204).send();
  });
  app.post("/api/v1/approvals/:approvalId", decide, async (request): Promise<ApprovalInfo> => {
    const { approvalId } = parse(paramsSchema, request.params);
    const decision = decisionOf(parse(decisionBodySchema, request.body));
    const by = actorOf(principalOf(request), request.ip);
    // A no only keeps agents from something, and is heard whatever the disk does.
    if (decision.kind === "approve") await auditFirst(ports.audit, request);
    if (decision.kind !== "take_over") {
      return approvalInfo(desktopsOf(ports, request).questions.decide(approvalId, decision, by));
    }
    // Who decides may not always use the desktop too.
    gate.requirePermission(request, "input");
    const decided = desktopsOf(ports, request).questions.decide(approvalId, decision, by);
    desktopsOf(ports, request)
      .all.find(({ id }) => id === decided.desktopId)
      ?.setHolding(true, by);
    return approvalInfo(decided);
  });
}

function decisionOf(body: DecisionBody): Decision {
  if (body.decision !== "approve") return { kind: body.decision };
  const { edit, allow_for_ms } = body;
  return {
    kind: "approve",
    ...(edit === undefined ? {} : { edit }),
    ...(allow_for_ms === undefined ? {} : { allowForMs: allow_for_ms }),
  };
}
