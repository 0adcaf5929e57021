import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import type { Decision } from "../../desktop/approvals.ts";
import { Gate, principalOf } from "../access.ts";
import type { ApprovalInfo, DecisionBody } from "../api.ts";
import { decisionBodySchema } from "../api.ts";
import { approvalInfo } from "../desktop-facts.ts";
import { pendingApprovals } from "../event-hub.ts";
import { parse } from "../parse.ts";
import type { AppPorts } from "../ports.ts";

const paramsSchema = z.object({ approvalId: z.string().max(100) });

/** The open questions of all desktops, oldest first, and the one way to answer them over HTTP. */
export function approvalRoutes(app: FastifyInstance, ports: AppPorts): void {
  const approve = { config: { access: "approve" } } as const;
  const gate = new Gate(ports);
  app.get("/api/v1/approvals", approve, (): ApprovalInfo[] => pendingApprovals(ports.desktops));
  app.post("/api/v1/approvals/:approvalId", approve, (request): ApprovalInfo => {
    const { approvalId } = parse(paramsSchema, request.params);
    const decision = decisionOf(parse(decisionBodySchema, request.body));
    const by = actorOf(principalOf(request));
    if (decision.kind !== "take_over") {
      return approvalInfo(ports.desktops.questions.decide(approvalId, decision, by));
    }
    // Who decides may not always use the desktop too.
    gate.requirePermission(request, "input");
    const decided = ports.desktops.questions.decide(approvalId, decision, by);
    ports.desktops.all.find(({ id }) => id === decided.desktopId)?.setHolding(true, by);
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
